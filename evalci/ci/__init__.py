"""In CI: the environment, the clients of GitHub and GitLab, the sticky comment, restore and publish."""
