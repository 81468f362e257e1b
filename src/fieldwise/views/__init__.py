"""What a result shows, as data: tables and sentences. The one place that rounds, grades and words.

Views are made of results alone: they open no run and know no medium.
"""
