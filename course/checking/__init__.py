"""What an exercise is, how it's judged, and the report a student reads."""

from course.checking.local import check

__all__ = ["check"]
