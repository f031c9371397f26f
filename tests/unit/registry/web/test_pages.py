"""The pages and the API, asked without a socket, over a real folder store full of bad intent."""

import json
import re
import socket

import jsonschema
import onnx
import pytest

from registry import Catalog
from registry.layout import channel_prefix, numbered, tag_key, versions_prefix
from registry.manifest import Lineage
from registry.store import open_store
from registry.web.answers import PAGE_POLICY, REPORT_POLICY
from registry.web.app import App
from registry.web.differing import look_at_difference
from registry.web.room import Room
from registry.web.screens import SCREENS
from tests import versions
from tests.asgi import HERE, ask
from tests.drafts import write_draft

EVIL = "<script>alert('1')</script>\u202e"
PAGES = {
    "models": "/models?holds=ad",
    "model": "/models/ads",
    "channel": "/models/ads/channels/production",
    "version": "/models/ads/versions/2",
    "parity": "/models/ads/parity",
    "speed": "/models/ads/speed",
    "graph": "/models/ranker/versions/1/graph",
    "diff": "/models/ads/diff?before=1&after=2",
    "search": "/search?where=target%3Dcpu%20version%3E1",
}


def publish_graph(catalog, folder):
    """Publish a version whose graph says what a page must not believe."""
    draft = versions.write_draft(folder, 1, runtimes=("onnxruntime",))
    file = folder / "builds" / "onnxruntime" / "model.onnx"
    program = onnx.load(file)
    for node in program.graph.node:
        node.name = f"{EVIL}{node.op_type}"
    onnx.save(program, file)
    catalog.publish(draft, folder)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    root = tmp_path_factory.mktemp("web")
    catalog = Catalog(open_store(str(root / "store")))
    for number in range(4):
        folder = root / f"draft-{number}"
        folder.mkdir()
        draft = write_draft(folder, answer=b"%d" % number)
        (folder / "job.yaml").write_text(f"# {number}\n</pre>{EVIL}\n")
        (folder / "report" / "index.html").write_text(f"<p>{EVIL}")
        lineage = Lineage(job="job.yaml", source=EVIL, source_digest="0" * 64, tools={EVIL: EVIL})
        catalog.publish(draft.model_copy(update={"lineage": lineage}), folder)
    catalog.move("ads", "production", 2, who=EVIL, why=EVIL)
    catalog.tag("ads", "autumn", 1, who=EVIL, why=EVIL)
    catalog.remove("ads", 4, who=EVIL, why=EVIL)
    publish_graph(catalog, root / "graph")
    folder = root / "other"
    folder.mkdir()
    catalog.publish(write_draft(folder, model="gone"), folder)
    catalog.remove("gone", 1, who="eve", why="old")
    return catalog


@pytest.fixture
def damaged(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    (tmp_path / "draft").mkdir()
    catalog.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")
    catalog.tag("ads", "autumn", 1, who="ann", why="good")
    catalog.store.create(tag_key("ads", "broken"), b"{}")
    catalog.store.create(numbered(versions_prefix("ads"), 2), b"{}")
    other = tmp_path / "store" / "models" / "<b>evil" / "versions"
    other.mkdir(parents=True)
    (other / "000001.json").write_bytes(b"{}")
    return App(Room(catalog))


@pytest.fixture(scope="module")
def app(catalog):
    return App(Room(catalog))


def test_every_screen_has_a_page_here():
    assert list(PAGES) == [screen.name for screen in SCREENS]


@pytest.mark.parametrize("path", [*PAGES.values(), "/nothing"])
def test_a_page_runs_nothing_and_loads_nothing_from_elsewhere(app, path):
    answer = ask(app, path)
    assert answer.status == (404 if path == "/nothing" else 200), answer.text
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    for sign in ("<script", "style=", "<b>evil", "\u202e", "//", "onerror"):
        assert sign not in answer.text.replace("</pre>", ""), sign


def test_whatever_a_store_says_is_text(app):
    shown = (PAGES[name] for name in ("model", "channel", "version", "graph"))
    for path in (*shown, "/models/ads/versions/4"):
        assert "&lt;script&gt;" in ask(app, path).text
    assert "&lt;/pre&gt;" in ask(app, PAGES["diff"]).text
    assert "&#34;&gt;&lt;i&gt;" in ask(app, "/models?holds=%22%3E%3Ci%3E").text


def test_a_report_is_shown_in_a_box(app):
    answer = ask(app, "/models/ads/versions/2/report")
    assert (answer.status, answer.headers["content-security-policy"]) == (200, REPORT_POLICY)
    assert "sandbox" in REPORT_POLICY
    page = ask(app, PAGES["version"]).text
    assert '<iframe sandbox loading="lazy"' in page


def test_what_is_damaged_is_shown_as_a_fault_and_hides_nothing_else(damaged):
    page = ask(damaged, "/models/ads")
    assert (page.status, page.text.count("cannot be believed")) == (200, 2)
    assert "autumn" in page.text
    models = ask(damaged, "/models")
    assert (models.status, "&lt;b&gt;evil" in models.text) == (200, True)
    assert '<a href="/models/ads">' in models.text
    assert ask(damaged, "/models/ads/parity").status == 200


def test_a_damaged_channel_does_not_hide_its_model_in_the_list(damaged):
    store = damaged.room.catalog.store
    store.create(numbered(channel_prefix("ads", "production"), 1), b"{}")
    (row,) = (one for one in _models(damaged) if one["model"] == "ads")
    assert (row["versions"], row["newest"]) == (2, 2)
    assert "production/000001.json cannot be believed" in row["fault"]
    assert '<a href="/models/ads">ads</a>' in ask(damaged, "/models").text


def _models(app):
    return json.loads(ask(app, "/api/models").body)["models"]


def test_a_store_that_fails_is_no_fault_of_the_request(damaged):
    path = "/models/ads/versions/2"
    assert ask(damaged, path).status == 502
    assert json.loads(ask(damaged, f"/api{path}").body)["error"]


def test_a_search_passes_over_what_is_damaged_and_says_so(damaged):
    found = json.loads(ask(damaged, "/api/search?where=target%3Dcpu").body)
    assert [row["version"] for row in found["versions"]] == [1]
    assert [row["version"] for row in found["damaged"]] == [2]
    assert "cannot be believed" in ask(damaged, "/search?where=ads").text


def test_a_store_that_cannot_be_reached_is_said(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "something")
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        app = App(Room(Catalog(open_store("s3://bucket/prefix", endpoint=endpoint))))
        answer = ask(app, "/api/models/ads/versions/1")
    assert (answer.status, "cannot be reached" in answer.text) == (502, True)


def test_removed_versions_can_still_be_read(app):
    assert "Removed" in ask(app, "/models/ads/versions/4").text
    gone = ask(app, "/api/models/gone")
    assert (gone.status, json.loads(gone.body)["removed"]) == (200, [1])
    assert ask(app, "/models/gone").status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/models/nobody", 404),
        ("/models/..%2f..", 404),
        ("/models/ADS", 404),
        ("/models/ads/channels/7", 404),
        ("/models/ads/versions/99", 404),
        ("/models/ads/versions/0", 404),
        ("/models/ads/diff", 400),
        ("/models/ads/diff?before=1&after=99", 404),
        ("/models?page=-1", 400),
        ("/models?page=9", 404),
        ("/search?where=nonsense%3D1", 400),
        ("/search?where=ads&after=%40", 400),
        ("/models/nobody/speed", 404),
        ("/models/ads/versions/2/graph", 404),
        ("/models/ranker/versions/1/graph?part=other", 404),
        ("/models/ranker/versions/1/graph?within=nowhere", 404),
        ("/models/ranker/versions/1/graph?first=9", 404),
        ("/models/ranker/versions/1/graph?last=x", 400),
        ("/search?where=%22", 400),
        ("/models?" + "a=1&" * 40, 400),
    ],
)
def test_what_is_not_there_or_not_understood_is_said(app, path, status):
    assert ask(app, path).status == status
    told = ask(app, f"/api{path}")
    assert told.status == status
    assert json.loads(told.body)["error"]


def test_answers_to_its_own_names_only(app):
    assert ask(app, "/models", headers={"host": "evil.example"}).status == 421
    assert ask(app, "/models", headers={}).status == 421


def test_nothing_can_be_changed_unless_it_is_allowed(app):
    assert ask(app, "/models/ads/promote", "POST", {**HERE}).status == 403
    for path in (*PAGES.values(), "/api/models", "/style.css"):
        answer = ask(app, path, "POST")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    assert '<form method="post"' not in ask(app, "/models/ads").text


def test_a_table_that_one_version_has_alone_is_told_as_such(catalog, tmp_path):
    draft = write_draft(tmp_path)
    (table,), (lookup,) = draft.tables, draft.lookups
    named = {
        "model": "renamed",
        "tables": (table.model_copy(update={"name": "things"}),),
        "lookups": (lookup.model_copy(update={"table": "things"}),),
    }
    other = Catalog(open_store(str(tmp_path / "store")))
    other.publish(draft.model_copy(update={"model": "renamed"}), tmp_path)
    other.publish(draft.model_copy(update=named), tmp_path)
    text = ask(App(Room(other)), "/models/renamed/diff?before=1&after=2").text
    rows = [re.findall("(?<=>)[^<]*(?=</t[hd]>)", row) for row in text.split("<tr>")]
    assert ["items", "10", "none", "", "0 B"] in rows
    assert ["things", "none", "10", "", "0 B"] in rows
    assert '<th scope="col" class="number">Rows before</th>' in text


def test_a_build_that_was_compared_with_nothing_says_so(tmp_path):
    draft = write_draft(tmp_path)
    builds = tuple(build.model_copy(update={"parity": ()}) for build in draft.builds)
    catalog = Catalog(open_store(str(tmp_path / "store")))
    catalog.publish(draft.model_copy(update={"builds": builds}), tmp_path)
    app = App(Room(catalog))
    assert "cpu was not compared with an original" in ask(app, "/models/ads/versions/1").text
    assert "No version was compared" in ask(app, "/models/ads/parity").text


def test_much_is_compared_by_records_only(catalog):
    whole = look_at_difference(catalog, "ads", 1, 2)
    bounded = look_at_difference(catalog, "ads", 1, 2, most=1)
    assert whole.whole
    assert whole.difference.job
    assert (bounded.whole, bounded.difference.job) == (False, ())
    assert bounded.difference.files == whole.difference.files != ()


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_the_api_answers_by_its_own_schema(app, screen):
    document = json.loads(ask(app, "/api/openapi.json").body)
    operation = document["paths"][f"/api{screen.path}"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    answer = ask(app, f"/api{PAGES[screen.name]}")
    assert answer.status == 200
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(
        json.loads(answer.body)
    )
    assert [p["name"] for p in operation["parameters"] if p["in"] == "query"] == [
        name for name, _ in screen.query
    ]
