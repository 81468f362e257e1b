"""Statistics: pure functions on numbers, which know nothing of documents."""
