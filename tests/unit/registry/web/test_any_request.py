"""Whatever is asked, no answer is a fault of the server."""

import json
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry import Catalog
from registry.store import open_store
from registry.web.app import App
from registry.web.room import Room
from registry.web.screens import SCREENS
from tests.asgi import ask
from tests.drafts import write_draft

TEXTS = st.text(max_size=20) | st.sampled_from(
    [
        "ads",
        "production",
        "1",
        "0",
        "-1",
        "2",
        "9" * 18,
        "9" * 30,
        "..",
        "a=b",
        "bytes>x",
        "\0",
        "²",
    ]
)
CONDITIONS = st.builds(
    lambda field, sign, value: f"{field}{sign}{value}",
    st.sampled_from(["model", "version", "created", "error", "rows", "tool", "'"]),
    st.sampled_from(["=", "!=", ">", "<="]),
    TEXTS | st.sampled_from(["nan", "inf", "1e400", "2026-11", "[", "*?"]),
)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    root = tmp_path_factory.mktemp("any")
    (root / "draft").mkdir()
    catalog = Catalog(open_store(str(root / "store")))
    catalog.publish(write_draft(root / "draft"), root / "draft")
    catalog.move("ads", "production", 1, who="ann", why="first")
    return App(Room(catalog))


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_request_is_answered_or_refused(app, data):
    screen = data.draw(st.sampled_from(SCREENS))
    path = screen.path
    for name in ("model", "channel", "number"):
        path = path.replace(f"{{{name}}}", quote(data.draw(TEXTS), safe=""))
    fields = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from([name for name, _ in screen.query] or ["x"]), TEXTS | CONDITIONS
            ),
            max_size=3,
        )
    )
    query = "&".join(f"{name}={quote(value)}" for name, value in fields)
    for start in ("/api", ""):
        answer = ask(app, f"{start}{path}?{query}")
        assert answer.status in {200, 303, 400, 404}, answer.text
        if start and answer.status != 303:
            json.loads(answer.body)
