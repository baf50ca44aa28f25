"""Plain words for what went wrong before any number could be compared: errors, limits, odd kinds of value."""

from __future__ import annotations

from course.checking.exercise import Raised

ERRORS: dict[str, str] = {
    "NameError": (
        "Python met a name that nothing has been given yet. Is it misspelt, or made in a cell that wasn't "
        "run or stands further down?"
    ),
    "UnboundLocalError": (
        "A variable is read before this function gives it a value: on some way through the function the "
        "line that sets it is skipped."
    ),
    "SyntaxError": (
        "Python can't read the line, so none of the cell ran. Look there and one line above for a missing "
        "colon, bracket or quotation mark."
    ),
    "IndentationError": (
        "The spaces at the start of the line don't fit the lines around it, so none of the cell ran. Lines "
        "of one block start at the same place."
    ),
    "TabError": "Tabs and spaces are mixed at the start of the line. Use spaces throughout.",
    "AttributeError": (
        "Something before a dot has no such part. Print its type(): often it's a plain number where an "
        "object was expected, or None because a function lacks its return."
    ),
    "TypeError": (
        "An operation got a kind of value that it can't use, or a function another number of arguments than "
        "it takes. Print the type() of each value on that line."
    ),
    "KeyError": "A dictionary was asked for a key that it doesn't hold. Print its keys: which are there?",
    "IndexError": (
        "A list or an array was asked for a place that it doesn't have. How long is it, and where does "
        "counting start?"
    ),
    "ZeroDivisionError": "Something was divided by zero. Which value is 0 here, and is it allowed to be?",
    "OverflowError": "A number grew larger than a float can hold. What grows, and should it?",
    "FloatingPointError": (
        "A calculation left the numbers that a float can hold. Which value does it start from?"
    ),
    "ValueError": (
        "The kind of the value is right, but not the value: a shape that doesn't fit, a number outside what "
        "the function takes. Print what goes in on that line."
    ),
    "RecursionError": (
        "A function called itself until Python gave up. Does it always reach its end, and is the way there "
        "short enough?"
    ),
    "ModuleNotFoundError": (
        "There is no module of that name here. Is it misspelt, or does the exercise want you to write it "
        "yourself?"
    ),
    "ImportError": "The module is there, but not that name in it. Is it misspelt, or yours to write?",
    "AssertionError": "An assert of yours didn't hold: at that line something isn't as you expected.",
    "NotImplementedError": "The blank is still there: write your code in its place.",
    "SystemExit": "The code ends the program (exit or quit). Take that out: the check needs it to go on.",
    "KeyboardInterrupt": "The code was interrupted, or interrupts itself.",
    "MemoryError": "The code asked for more memory than there is. Does a list or an array grow without end?",
    "AskError": "A question to ask() got no answer; the message says why.",
}
ANY_ERROR = "The line named is where Python stopped. Print what the values on it are before it runs."

STATUSES: dict[str, str] = {
    "wrong_shape": (
        "Print the shape of what you return, and that of what you were handed. Which axis is too many, or "
        "missing?"
    ),
    "wrong_dtype": (
        "Print the type() of what you return. A plain number or an array of floats is wanted, not a string, "
        "None, a list or an object of your own."
    ),
    "not_finite": (
        "nan and inf spread. Find the first step whose result isn't finite: a division by 0, a log of 0, an "
        "overflow?"
    ),
    "nondeterministic": (
        "The same question came twice and was answered differently. What does your code remember from one "
        "call to the next?"
    ),
    "timeout": "Does every loop come to its end? Try a smaller input and count the turns.",
    "memory": "Does a list or an array grow without end? Look at what is kept from one turn to the next.",
    "output_limit": "Take the print out of the loop.",
    "no_reply": "The program ended in the middle of a question: is there an exit, or a crash of a library?",
}


def explain(problem: Raised) -> str:
    """What an error means, in plain words."""
    if problem.status in STATUSES:
        return STATUSES[problem.status]
    return ERRORS.get(problem.type, ANY_ERROR)


def place_of(problem: Raised, of: str = "of your code") -> str:
    """ " (line 3 of your code)", or nothing where the line isn't known."""
    return f" (line {problem.line} {of})" if problem.line else ""
