"""From trials and results to totals, verdicts and comparisons: pure, and the same for live and replayed runs."""
