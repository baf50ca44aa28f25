"""Unit 5."""
