"""What a stage finds fault with in a job is pointed out in its file."""

import pytest

from pipeline.job.locate import located
from pipeline.job.text import Text
from registry.errors import SplitError

JOB = Text(
    "job.yaml",
    """\
split:
  parts:
    - name: encoder
      until: [encoder.layers.1, "*.mask"]
    - {name: head}
""",
)


def test_a_value_is_told_with_file_line_column_and_a_caret():
    error = located(SplitError("split.parts[0].until[1]: no node is called '*.mask'"), JOB)
    assert isinstance(error, SplitError)
    assert str(error) == (
        "job.yaml:4:33: no node is called '*.mask'\n"
        '    4 |       until: [encoder.layers.1, "*.mask"]\n'
        "      |                                 ^^^^^^^^"
    )


@pytest.mark.parametrize(
    "said",
    [
        "split.parts[7].until[0]: of a part that the file does not have",
        "split.rows[0]: of a block that the file does not have",
        "table 'a.b[0]: c': not a path",
        "/work/x: not a path",
        "",
    ],
)
def test_what_names_no_value_of_the_file_stays_as_it_is(said):
    error = SplitError(said)
    assert located(error, JOB) is error


@pytest.mark.parametrize("text", ["", "{", "- a", "split: 3", "split: {parts: {name: x}}"])
def test_a_file_that_is_something_else_is_no_trouble(text):
    error = SplitError("split.parts[0]: empty")
    assert located(error, Text("job.yaml", text)) is error
