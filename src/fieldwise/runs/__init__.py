"""Finished evaluations, read back: one by one (calibration, sweeps), and two side by side (difference, gate)."""
