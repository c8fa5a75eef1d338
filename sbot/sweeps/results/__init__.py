"""Results of a sweep in its folder: plan, journal, tables, and what is shown of them."""
