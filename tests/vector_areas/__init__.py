"""One module per area of golden rows, each with `run(row)`."""
