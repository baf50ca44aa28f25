"""What tests have to show, printed once they have run: the kill matrix."""

SHOWN = "shown at the end of the run"


def pytest_terminal_summary(terminalreporter):
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, text in getattr(report, "user_properties", ()):
                if name == SHOWN and report.when == "call":
                    terminalreporter.write_line(f"\n{text}")
