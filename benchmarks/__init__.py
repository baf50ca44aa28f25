"""How fast and how lean the engines are, beside hand-written code and other libraries. See README.md."""
