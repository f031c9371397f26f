from registry.digest import digest_file
from registry.fingerprint import fingerprint
from registry.manifest import Draft, Loss, Parity
from registry.signature import Axis
from tests.built import with_part
from tests.drafts import write_draft


def mark(folder, draft: Draft) -> str:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return fingerprint(
        draft, {path.relative_to(folder).as_posix(): digest_file(path) for path in paths}
    )


def with_build(draft: Draft, **fields: object) -> Draft:
    return draft.model_copy(update={"builds": (draft.builds[0].model_copy(update=fields),)})


def changed(draft: Draft, **fields: object) -> Draft:
    return draft.model_copy(update={"builds": (with_part(draft.builds[0], **fields),)})


def with_numbers(draft: Draft, **fields: object) -> tuple[Parity, ...]:
    (parity,) = draft.builds[0].parity
    (numbers,) = parity.outputs
    return (parity.model_copy(update={"outputs": (numbers.model_copy(update=fields),)}),)


def test_does_not_change_from_one_process_to_the_next(tmp_path):
    draft = write_draft(tmp_path)
    pinned = "f619bd45722a925fc3254e46c199351cd4481f4afe826bb8370ee96baaa8a7bf"
    assert mark(tmp_path, draft) == pinned


def test_follows_the_bytes_that_answer(tmp_path):
    draft = write_draft(tmp_path)
    before = mark(tmp_path, draft)
    for name in (
        "builds/cpu/model.bin",
        "ids/model.onnx",
        "tables/items/000000.safetensors",
        "recorded.safetensors",
    ):
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(b"other")
        assert mark(tmp_path, draft) != before, name
        (tmp_path / name).write_bytes(kept)
    assert mark(tmp_path, draft) == before


def test_follows_what_the_draft_says_of_them(tmp_path):
    draft = write_draft(tmp_path)
    contract = draft.builds[0].parts[0].contract
    others = [
        draft.model_copy(update={"axes": {"batch": Axis(max=7)}}),
        draft.model_copy(update={"lookups": ()}),
        draft.model_copy(update={"inputs": ()}),
        changed(draft, precision="bf16"),
        changed(draft, contract=contract.model_copy(update={"threads": 4})),
    ]
    marks = {mark(tmp_path, one) for one in (draft, *others)}
    assert len(marks) == len(others) + 1


def test_follows_what_the_version_is_held_against(tmp_path):
    draft = write_draft(tmp_path)
    losses = {"auc(score)": Loss(max_drop=0.1, because="it is a test")}
    others = [
        with_numbers(draft, atol=1e-4),
        with_numbers(draft, rtol=1e-2),
        with_numbers(draft, because="another reason"),
        (draft.builds[0].parity[0].model_copy(update={"losses": losses}),),
    ]
    marks = {mark(tmp_path, with_build(draft, parity=parity)) for parity in others}
    assert len(marks | {mark(tmp_path, draft)}) == len(others) + 1


def test_does_not_follow_reports_lineage_and_measurements(tmp_path):
    draft = write_draft(tmp_path)
    before = mark(tmp_path, draft)
    for name in ("report/index.html", "report/report.json", "job.yaml"):
        (tmp_path / name).write_bytes(b"other")
    (part,) = draft.builds[0].parts
    lineage = draft.lineage.model_copy(update={"commit": "abc"})
    measured = changed(
        draft.model_copy(update={"lineage": lineage}),
        contract=part.contract.model_copy(update={"memory": 1 << 30}),
        artifact=part.artifact.model_copy(update={"maker": "test 2.0"}),
    )
    parity = with_numbers(draft, max_abs=1e-6, worst=0.5, histogram={-6: 3})
    other = with_build(measured, parity=parity)
    assert mark(tmp_path, other) == before
