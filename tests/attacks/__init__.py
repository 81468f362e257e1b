"""Attacks on runs: kills, two writers, damaged parts, hostile names, signals."""
