"""Unit 4."""
