"""Where the abstract run stands: what can change, and how changes are undone and joined."""
