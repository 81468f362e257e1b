"""What people and machines read of an evaluation: tables, pages, comparisons of two of them."""
