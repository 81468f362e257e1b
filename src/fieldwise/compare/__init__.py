"""Comparing two documents: the plan, the one traversal, the comparison and its views."""

from fieldwise.compare.comparison import Comparison
from fieldwise.compare.plan import Plan
from fieldwise.compare.results import Outcome
from fieldwise.compare.verdicts import Verdict
from fieldwise.compare.views.non_matches import NonMatchType

__all__ = ["Comparison", "NonMatchType", "Outcome", "Plan", "Verdict"]
