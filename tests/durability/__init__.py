"""What survives when a recording is killed."""
