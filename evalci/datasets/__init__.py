"""Lines of JSONL to cases; a mistake names file, line and column."""

from evalci.datasets.reader import Dataset, read_datasets

__all__ = ["Dataset", "read_datasets"]
