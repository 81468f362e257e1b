"""Views of a comparison: they choose and arrange what was found, and compare nothing."""
