"""The units of the course, a folder each."""
