"""What YAML's syntax errors mean to the one who wrote the file."""

import yaml

from pipeline.job.fault import Fault, Place
from pipeline.job.text import Text

#: Part of PyYAML's message, what to say, and whether the fault is where the construct began.
_MEANINGS: tuple[tuple[str, str, bool], ...] = (
    (
        "mapping values are not allowed here",
        "this `:` cannot be a key's: put text that holds `: ` in quotes, or mend the indentation",
        False,
    ),
    ("could not find expected ':'", "a key without its `:`", True),
    (
        "expected <block end>, but found '<block sequence start>'",
        "this list does not fit the indentation above",
        False,
    ),
    (
        "expected <block end>, but found '<scalar>'",
        "this cannot follow what stands before it; put text that holds quotes in quotes as a whole",
        False,
    ),
    ("expected <block end>, but found ':'", "a `:` without a key", False),
    ("expected <block end>", "this does not fit the indentation above", False),
    ("expected ',' or ']'", "this `[` is not closed before the next key", True),
    ("expected ',' or '}'", "this `{` is not closed before the next key", True),
    ("found unexpected end of stream", "this quote is not closed", True),
    ("found unexpected document separator", "this quote is not closed", True),
    (
        "found unknown escape character",
        "no such escape in double quotes; single quotes leave backslashes alone",
        False,
    ),
    (
        "escape sequence of",
        "this escape has too few digits; single quotes leave backslashes alone",
        False,
    ),
    ("did not find expected digit or indentation indicator", "text does not go here", False),
    ("found duplicate anchor", "this anchor is defined twice", False),
    (
        "sequence entries are not allowed here",
        "a list's `-` cannot stand here; begin a new line",
        False,
    ),
    ("expected the node content", "a value is missing before this", False),
    ("expected '<document start>'", "this does not go on from what stands above", False),
    (
        "expected alphabetic or numeric character",
        "this needs a name, or quotes if it is text",
        True,
    ),
    (
        "expected chomping or indentation",
        "text cannot start with this sign; put it in quotes",
        True,
    ),
    (
        "mapping keys are not allowed here",
        "a `?` cannot stand here; put text that starts with it in quotes",
        False,
    ),
)


def syntax_fault(error: yaml.MarkedYAMLError, text: Text) -> Fault:
    """Turn an error of the YAML reader into a fault."""
    problem = error.problem or "not YAML"
    mark = error.problem_mark or error.context_mark
    for part, meaning, at_start in _MEANINGS:
        if part in problem:
            begun = error.context_mark if at_start and error.context_mark else mark
            return Fault(_place(begun), meaning)
    if "cannot start any token" in problem and mark is not None:
        return Fault(_place(mark), _bad_start(_char(text, mark)))
    return Fault(_place(mark), problem)


def _bad_start(char: str) -> str:
    if char == "\t":
        return "a tab; YAML is indented with spaces"
    return f"text cannot start with `{char}`; put it in quotes"


def _char(text: Text, mark: yaml.Mark) -> str:
    return text.lines[mark.line][mark.column : mark.column + 1]


def _place(mark: yaml.Mark | None) -> Place:
    return Place(mark.line, mark.column) if mark else Place(0, 0)
