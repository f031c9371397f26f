"""What the documents say works: examples are run, commands are taken by the command line."""

import shlex
import subprocess
import sys

import pytest
import yaml

from pipeline.cli import COMMANDS as TABLE
from pipeline.cli import load
from pipeline.job.job import Job
from registry import Catalog
from registry.store import open_store
from tests import versions
from tests.doc_blocks import DOCUMENTS, ROOT, blocks_of, commands_of

COMMANDS = [(file.name, line) for file in DOCUMENTS for line in dict.fromkeys(commands_of(file))]

FILLED = {
    "MODEL@7": "ads@2",
    "MODEL@6": "ads@1",
    "MODEL@CHANNEL": "ads@candidate",
    "MODEL": "ads",
    "production": "candidate",
    "s3://bucket/prefix": "other",
    "...": "because",
}

#: Named in a sentence, and not called.
_NAMED = {"pipeline registry diff"}

#: Tested where there are keys, a server that stays, a folder from elsewhere.
_ELSEWHERE = {"sign", "trust", "serve", "import"}

ON_A_STORE = [
    line
    for name, line in COMMANDS
    if name == "registry.md"
    and line.split()[1] == "registry"
    and line.split()[2] not in _ELSEWHERE
    and line not in _NAMED
]

#: What a piece of a job that a document shows is put into.
JOB = """
schema: 1
model: shown
source: {kind: onnx, file: model.onnx}
inputs: [{name: x, dtype: float32, shape: [batch, 4]}]
targets: [{name: cpu, runtime: onnxruntime}]
parity: {conversion: {atol: 0.1, rtol: 0, because: it is an example}}
"""

PIECES = [(file.name, text) for file in DOCUMENTS for text in blocks_of(file, "yaml")]


def test_the_examples_in_python_run_in_order(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for seed in (1, 2):
        versions.publish(catalog, tmp_path / "drafts", seed, runtimes=("onnxruntime",))
    new = tmp_path / "new"
    draft = versions.write_draft(new, 3, runtimes=("onnxruntime",))
    (new / "draft.json").write_text(draft.model_dump_json())
    script = "\n".join(blocks_of(ROOT / "docs" / "python.md", "python"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "ranker has no version 9" in done.stdout or "ranker@9" in done.stdout


def test_every_document_with_commands_is_read():
    assert {"README.md", "registry.md", "toolchains.md", "ipex.md", "tables.md"} <= {
        name for name, _ in COMMANDS
    }
    assert len(COMMANDS) > 50


@pytest.mark.parametrize(("document", "line"), COMMANDS, ids=str)
def test_the_command_line_knows_every_command_and_its_options(document, line):
    _, name, *words = shlex.split(line)
    command = load(next(row for row in TABLE if row.name == name))
    while (below := getattr(command, "commands", None)) and words:
        assert words[0] in below, f"{document}: {name} has no command {words[0]}"
        name, *words = words
        command = below[name]
    known = {option for parameter in command.params for option in parameter.opts}
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert options <= known, f"{document}: {line}"


@pytest.mark.parametrize("line", ON_A_STORE)
def test_the_command_works_on_a_store(line, ads_catalog, registry_command):
    code, out, err = registry_command(*shlex.split(_filled(line))[2:])
    assert code == 0, err
    assert out or err


def _filled(line: str) -> str:
    """Put what there is in the place of what the document leaves open."""
    for open_, given in FILLED.items():
        line = line.replace(open_, given)
    return line


@pytest.mark.parametrize(("document", "text"), PIECES, ids=[name for name, _ in PIECES])
def test_a_piece_of_a_job_is_one(document, text):
    Job.model_validate(yaml.safe_load(JOB) | yaml.safe_load(text))


def test_the_documents_of_targets_and_tables_show_jobs():
    assert {"ipex.md", "tables.md", "toolchains.md"} <= {name for name, _ in PIECES}
