"""Results of a sweep in its folder: plan, journal, tables and reports."""
