"""Incremental parsing: a text that differs little from one already parsed costs as much as the difference (docs/spec
01 §10).
"""
