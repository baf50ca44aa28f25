"""Unit 7."""
