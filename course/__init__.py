"""The course: units, authoring, checking, grading and the `course` command, on top of autodiff."""
