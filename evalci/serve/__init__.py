"""The history as pages on this machine: read-only, 127.0.0.1 only, no script."""
