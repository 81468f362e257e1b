"""Verdict and document rows: their columns, and Parquet in and out."""
