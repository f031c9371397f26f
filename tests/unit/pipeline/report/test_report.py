"""The report says what the run found, in one page that needs nothing else."""

import json
from html.parser import HTMLParser

import pytest

from pipeline.record import RunRecord, StageRecord, Usage
from pipeline.report.flow_picture import flow_picture
from pipeline.report.histogram import histogram
from pipeline.report.operators import compare_operators
from pipeline.report.roads import compare_roads
from pipeline.report.write import write_report
from registry.composition import Artifact, Table
from registry.signature import DType, Signature, Tensor
from tests.run_records import ids_program, numbers, run_record, split, validation


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.tags, self.links = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data):
        self.text.append(data)


def page(tmp_path, record: RunRecord) -> Page:
    return Page(write_report(record, tmp_path).read_text())


def test_names_tables_lookups_parity_stages_and_lineage(tmp_path):
    text = " ".join(page(tmp_path, run_record()).text)
    for wanted in (
        "movielens-dlrm", "version 1", "published", "movies", "1,683", "bag mean, padding 0",
        "fewer than 500 rows", "10,221", "2.4e-07", "auc 0.727700 → 0.727700", "within tolerance",
        "0.12 ms", "0.25 ms", "7,900", "a CPU with 2 CPUs",
        "400.0 MiB", "first run", "reproduce.sh", "ab" * 32, "an axis was renamed",
    ):  # fmt: skip
        assert wanted in text, wanted


def test_says_how_rows_are_stored_and_what_unknown_ids_give(tmp_path):
    record = run_record()
    rule = {"rows_as": "i8", "unknown": "row", "default_row": 7}
    first, *others = record.split.tables
    tables = (first.model_copy(update=rule), *others)
    ruled = record.split.model_copy(update={"tables": tables})
    text = page(tmp_path, record.model_copy(update={"split": ruled})).text
    assert {"Stored as", "Unknown ids", "i8", "row 7", "error"} <= set(text)
    assert "36.9 KiB" in text  # 944 rows of 32 bytes, a scale and an offset


def test_says_what_became_of_inputs_that_the_original_refuses(tmp_path):
    text = " ".join(page(tmp_path, run_record()).text)
    assert "44 cases compared, 6 that the original refuses: refused here too" in text


def test_a_part_whose_maker_nobody_knows_is_made_by_nobody(tmp_path):
    record = run_record()
    dense = record.split.dense.model_copy(update={"maker": ""})
    nameless = record.split.model_copy(update={"dense": dense})
    text = " ".join(page(tmp_path, record.model_copy(update={"split": nameless})).text)
    assert "Made by" not in text
    assert "Signature of the dense part" in text


def test_a_failed_run_says_why(tmp_path):
    text = " ".join(page(tmp_path, run_record(passed=False)).text)
    for wanted in ("ParityError", "off by 0.3 & more", "not within tolerance", "41×", "dropped"):
        assert wanted in text, wanted


def test_a_run_that_stopped_before_the_split_still_has_a_report(tmp_path):
    text = " ".join(page(tmp_path, run_record(with_split=False)).text)
    assert "No target was validated" in text


def test_needs_no_network_and_runs_no_script(tmp_path):
    read = page(tmp_path, run_record())
    assert read.links == []
    assert "script" not in read.tags


def test_escapes_what_jobs_and_tools_said(tmp_path):
    read = page(tmp_path, run_record())
    assert "<b>not bold</b>" in "".join(read.text)
    assert "fewer than 500 rows <script>" in "".join(read.text)


def test_the_json_is_the_record(tmp_path):
    record = run_record()
    write_report(record, tmp_path)
    assert RunRecord.model_validate_json((tmp_path / "report.json").read_bytes()) == record
    assert json.loads((tmp_path / "report.json").read_text())["schema"] == 1


def test_bars_stand_between_equal_and_infinite_without_gaps():
    bars = histogram(numbers(histogram={-99: 10, -9: 1, -7: 1000, 99: 2}))
    assert [bar.label for bar in bars] == ["equal", "1e-9", "1e-8", "1e-7", "∞"]
    assert [bar.count for bar in bars] == [10, 1, 0, 1000, 2]
    assert bars[1].height > 0 == bars[2].height
    assert max(bar.height for bar in bars) <= 1


def test_operators_come_most_frequent_first():
    rows = compare_operators(split())
    assert [(row.name, row.before, row.after) for row in rows] == [
        ("aten.linear", 5, 5),
        ("aten.embedding", 3, 0),
    ]


@pytest.mark.parametrize("with_ids", [False, True])
def test_the_picture_leads_every_input_to_the_dense_part(with_ids):
    picture = flow_picture(split(ids=ids_program() if with_ids else None))
    keys = {box.key for box in picture.boxes}
    assert [box for step in picture.steps for box in step.boxes] == list(picture.boxes)
    assert {"in:user", "in:numbers", "table:users", "dense", "out:like"} <= keys
    assert ("ids" in keys) == with_ids
    assert len(picture.arrows) == (8 if with_ids else 6)
    places = [(box.x, box.y) for box in picture.boxes]
    assert len(set(places)) == len(places)
    assert all(box.x + box.width <= picture.width for box in picture.boxes)
    assert all(box.y + box.height <= picture.height for box in picture.boxes)


def cut_in_two() -> tuple[Artifact, ...]:
    """Parts whose second takes what the first hands on."""
    dense = split().dense
    handed = Tensor(name="encoder__add", dtype=DType.FLOAT32, shape=("batch", 3))
    first = dense.signature.model_copy(update={"outputs": (handed,)})
    last = dense.signature.model_copy(update={"inputs": (handed,)})
    return (
        dense.model_copy(update={"part": "encoder", "signature": first}),
        dense.model_copy(update={"part": "head", "signature": last}),
    )


def test_the_picture_and_the_page_have_every_part_of_a_cut(tmp_path):
    picture = flow_picture(split(), cut_in_two())
    columns = [(one.title, [box.title for box in one.boxes]) for one in picture.steps]
    assert columns[-3:-1] == [("Part encoder", ["encoder"]), ("Part head", ["head"])]
    arrows = {arrow.label for arrow in picture.arrows}
    assert {"users to encoder", "encoder to head", "head to like"} <= arrows
    record = run_record().model_copy(update={"cut": cut_in_two()})
    text = " ".join(" ".join(page(tmp_path, record).text).split())
    assert "encoder__add: float32[batch, 3]" in text
    assert "Parts The dense part is cut where the job says" in text


def test_the_picture_has_a_column_for_each_hop(tmp_path):
    ids = Tensor(name="emb__past__0", dtype=DType.INT64, shape=("batch", 3))
    some = Tensor(name="ids__0", dtype=DType.INT64, shape=("batch", 3))
    plain = split()
    hop = ids_program().model_copy(
        update={"part": "ids_2", "signature": Signature(inputs=(ids,), outputs=(some,))}
    )
    past = Table(name="past", rows=9, dim=3, dtype=DType.INT64, keys=("past",))
    first = plain.lookups[0].model_copy(update={"output": ids.name, "table": "past"})
    second = plain.lookups[0].model_copy(update={"ids": "ids__0"})
    chained = plain.model_copy(
        update={
            "tables": (past, *plain.tables),
            "lookups": (first, second, *plain.lookups[1:]),
            "hops": (hop,),
        }
    )
    picture = flow_picture(chained)
    columns = [(one.title, [box.title for box in one.boxes]) for one in picture.steps]
    assert columns[1:4] == [
        ("Tables", ["past", "movies"]),
        ("Ids, hop 2", ["ids_2 program"]),
        ("Tables, hop 2", ["users"]),
    ]
    arrows = {arrow.label for arrow in picture.arrows}
    assert {"user to past", "past to ids_2 program", "ids_2 program to users"} <= arrows
    assert "past to dense part" not in arrows


def step(name: str, needs: tuple[str, ...], options: dict, seconds: float) -> StageRecord:
    return StageRecord(
        name=name,
        stage=name.split(maxsplit=1)[0],
        needs=needs,
        outcome="done",
        why="first run",
        options=options,
        usage=Usage(seconds=seconds, cpu=seconds, peak=1 << 20),
        bytes=int(seconds * 1024),
    )


def by_roads(*roads: str) -> RunRecord:
    """A run that builds one target by each of some roads."""
    record, f32 = run_record(), {"weights": "f32"}
    stages = [step("convert onnx f32", ("split",), f32, 2.0)]
    for number, via in enumerate(roads):
        came = "convert onnx f32" if via == "onnx" else "split"
        placed = {"part": "dense", "target": {"name": "ts", "runtime": "torchscript", "via": via}}
        target = {"build": {"name": str(number), "parts": [placed]}}
        stages.append(step(f"convert {number}", (came,), f32, 3.0 + number))
        stages.append(step(f"validate {number}", ("split", f"convert {number}"), target, 9.0))
    return record.model_copy(
        update={
            "stages": (*record.stages, *stages),
            "validations": tuple(
                validation(str(number), passed=number != 1) for number, _ in enumerate(roads)
            ),
        }
    )


def test_both_roads_to_a_target_are_side_by_side(tmp_path):
    text = " ".join(" ".join(page(tmp_path, by_roads("onnx", "torch")).text).split())
    assert "Two roads" in text
    assert "0 via onnx 1 via torch" in text
    assert "Conversion: like 2.4e-07, 0.02× 0.3, 41×" in text
    assert "Size 3.0 KiB 4.0 KiB" in text
    assert "Time to convert 5.0 s 4.0 s" in text


def test_a_road_that_has_nothing_to_compare_says_so(tmp_path):
    record = by_roads("onnx", "torch")
    (first, second) = record.validations
    bare = second.model_copy(update={"parity": (), "faults": ("refused on one side",)})
    record = record.model_copy(update={"validations": (first, bare)})
    text = " ".join(" ".join(page(tmp_path, record).text).split())
    assert "Conversion: like 2.4e-07, 0.02× not compared" in text


@pytest.mark.parametrize("roads", [("onnx",), ("torch",), ("onnx", "onnx")])
def test_one_road_is_compared_with_nothing(roads, tmp_path):
    record = by_roads(*roads)
    assert compare_roads(record) == ()
    assert "Two roads" not in "".join(page(tmp_path, record).text)
