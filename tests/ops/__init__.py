"""Every operation against NumPy and against numerical derivatives: cases in tables, one harness."""
