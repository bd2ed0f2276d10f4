"""The report as one self-contained HTML page: a file for each part of it."""
