"""Counting over many documents: sums that add up in any order, and the metrics that are made of them."""
