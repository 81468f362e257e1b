"""The one loop over shards of documents, and where it runs."""
