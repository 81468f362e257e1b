"""Finished evaluations: a run opened again, two of them compared, a candidate judged, thresholds and confidences.

Opening a run loads neither numpy nor Arrow; its rows do.
"""

from fieldwise.runs.folder_run import open_run
from fieldwise.runs.run import Run

__all__ = ["Run", "open_run"]
