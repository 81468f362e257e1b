"""Attacks: hostile documents, states, files and moments, each of which once broke something or was made to."""
