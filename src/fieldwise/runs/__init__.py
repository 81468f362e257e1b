"""Finished evaluations: a run opened again, two of them compared, a candidate judged, thresholds and confidences.

Opening a run loads neither numpy nor Arrow; its rows do.
"""

from fieldwise.runs.run import Run, open_run

__all__ = ["Run", "open_run"]
