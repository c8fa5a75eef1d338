"""Pictures of single pages, a module each; docs/make_page_figures.py draws them."""
