"""Runs the user's own program under the observer and says of each finding what really happened."""
