"""Reading documents: the only place that deals with files and their shapes."""
