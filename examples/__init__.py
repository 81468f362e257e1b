"""Example documents, and a generator of noisy ones."""
