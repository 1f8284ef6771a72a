"""The tests. A package, so that they can share `tests.factories` however pytest is started."""
