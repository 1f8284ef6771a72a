"""Suites written in Python: what a file registers, and how it becomes a suite like any other."""
