"""Evidence: runs through adapters, and the manifest that lets a stranger check what a run says."""
