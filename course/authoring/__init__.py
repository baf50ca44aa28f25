"""From percent-format sources to notebooks: what an author writes is text, what a student opens is built."""
