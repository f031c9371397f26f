"""Who has the token moves a channel by a form of the page; nobody else does."""

import re
from urllib.parse import urlencode

import pytest

from registry import Catalog
from registry.store import open_store
from registry.web.app import App
from registry.web.promotion import new_promotion
from registry.web.room import Room
from tests.asgi import HERE, ask
from tests.drafts import write_draft

TOKEN = "a token of enough signs"
KIND = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def catalog(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for number in range(3):
        folder = tmp_path / f"draft-{number}"
        folder.mkdir()
        catalog.publish(write_draft(folder, answer=b"%d" % number), folder)
    catalog.remove("ads", 1, who="eve", why="old")
    catalog.tag("ads", "autumn", 2, who="eve", why="good")
    return catalog


@pytest.fixture
def app(catalog):
    return App(Room(catalog, promotion=new_promotion(TOKEN)))


@pytest.fixture
def send(app):
    page = ask(app, "/models/ads")
    form = re.search('name="form" value="([0-9a-f]{64})"', page.text)[1]
    cookie = page.headers["set-cookie"].partition(";")[0]

    def send(headers=(), body=None, **fields):
        filled = {
            "form": form,
            "version": "2",
            "channel": "production",
            "who": "ann",
            "why": "it is faster",
            "token": TOKEN,
        }
        body = urlencode(filled | fields).encode() if body is None else body
        sent = HERE | KIND | {"cookie": cookie} | dict(headers)
        return ask(app, "/models/ads/promote", "POST", sent, body)

    return send


def test_moves_a_channel(catalog, send):
    answer = send({"origin": "http://127.0.0.1:8080", "sec-fetch-site": "same-origin"})
    assert (answer.status, answer.headers["location"]) == (303, "/models/ads")
    move = catalog.channel("ads", "production")
    assert (move.version, move.who, move.why) == (2, "ann", "it is faster")


@pytest.mark.parametrize(
    ("headers", "fields", "status"),
    [
        ({}, {"token": "another"}, 403),
        ({}, {"token": ""}, 403),
        ({}, {"form": "0" * 64}, 403),
        ({"cookie": ""}, {}, 403),
        ({"cookie": "registry-form=" + "0" * 32}, {}, 403),
        ({"origin": "http://evil.example"}, {}, 403),
        ({"origin": "null"}, {}, 403),
        ({"sec-fetch-site": "cross-site"}, {}, 403),
        ({"host": "evil.example"}, {}, 421),
        ({"content-type": "text/plain"}, {}, 415),
        ({}, {"version": "1"}, 400),
        ({}, {"version": "99"}, 404),
        ({}, {"version": ""}, 400),
        ({}, {"version": "x"}, 400),
        ({}, {"channel": "autumn"}, 400),
        ({}, {"channel": "../up"}, 400),
        ({}, {"channel": "7"}, 400),
        ({}, {"why": ""}, 400),
        ({}, {"who": "two\nlines"}, 400),
        ({}, {"why": "w" * 1001}, 400),
        ({}, {"who": "w" * 101}, 400),
        ({}, {"why": "a\r\nSet-Cookie: a=b"}, 400),
        ({}, {"channel": "production\r\nX: y"}, 400),
        ({}, {"version": "2" * 30}, 400),
        ({"origin": "http://127.0.0.1:8081"}, {}, 403),
        ({"origin": "http://127.0.0.1:8080.evil.example"}, {}, 403),
        ({"sec-fetch-site": "same-site"}, {}, 403),
        ({"host": "127.0.0.1.evil.example:8080"}, {}, 421),
        ({"host": "127.0.0.1:8080, evil.example"}, {}, 421),
        ({}, {"body": b"\xff"}, 400),
        ({}, {"body": b"a" * 20_000}, 413),
    ],
)
def test_moves_nothing_for_anybody_else(catalog, send, headers, fields, status):
    assert send(headers, **fields).status == status
    assert catalog.channels("ads") == ()


def test_a_form_of_a_server_that_has_ended_is_not_taken(catalog, send):
    other = App(Room(catalog, promotion=new_promotion(TOKEN)))
    page = ask(other, "/models/ads")
    assert send(form=re.search('name="form" value="([0-9a-f]{64})"', page.text)[1]).status == 403


def test_a_form_of_another_session_is_not_taken(app, catalog, send):
    other = ask(app, "/models/ads").headers["set-cookie"].partition(";")[0]
    assert send({"cookie": other}).status == 403
    assert catalog.channels("ads") == ()


def test_only_a_post_moves_and_none_of_a_path_that_is_no_model(app, send):
    assert ask(app, "/models/ads/promote?version=2&channel=production").status == 405
    for path in ("/models/a%0d%0aX:%20y/promote", "/models/../promote", "/models/nobody/promote"):
        assert ask(app, path, "POST", HERE | KIND, b"version=2").status in {403, 404}


def test_a_form_that_is_sent_again_makes_no_second_move(catalog, send):
    assert [send().status, send().status] == [303, 303]
    assert len(catalog.history("ads", "production")) == 1


def test_what_is_said_of_a_move_is_text_on_the_page(app, send):
    assert send(why="<img src=x onerror=alert(1)>", who="{{ 7 * 7 }}</td>").status == 303
    page = ask(app, "/models/ads/channels/production").text
    assert "&lt;img src=x" in page
    assert "{{ 7 * 7 }}&lt;/td&gt;" in page
