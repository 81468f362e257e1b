"""What code that was written for stickler-eval finds here: the table of its names, and what only such code needs."""
