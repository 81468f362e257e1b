"""Tests of the comparators."""
