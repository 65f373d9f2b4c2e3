"""One module per command: `run(...)` does the work and returns the exit status. cli.py only parses arguments."""
