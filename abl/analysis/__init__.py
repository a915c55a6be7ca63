"""What is wrong with a text and why: the index, the rules and the registry of every diagnostic (docs/spec 05, 10)."""

from abl.analysis.check import Report, check
from abl.analysis.index.project import Index
from abl.analysis.registry import RULES, Rule, lookup
from abl.analysis.reporting.report import UnknownCode

__all__ = ["RULES", "Index", "Report", "Rule", "UnknownCode", "check", "lookup"]
