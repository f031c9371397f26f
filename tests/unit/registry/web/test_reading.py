"""What the pages will show, read from a real folder store."""

import pytest

from registry import Catalog
from registry.channel import Reason
from registry.errors import ResourceError, ServeError, StoreError
from registry.layout import numbered, versions_prefix
from registry.store import open_store
from registry.web.hosts import check_host
from registry.web.naming import look_at_channel
from registry.web.promotion import check_origin, cookie, new_nonce, new_promotion
from registry.web.reading import (
    check_there,
    list_models,
    look_at_model,
    look_at_version,
    read_version,
)
from registry.web.refusals import (
    ForbiddenError,
    MisdirectedError,
    NotThereError,
    RefusalError,
    explain,
)
from registry.web.searching import search
from tests.drafts import write_draft


@pytest.fixture
def catalog(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for number in range(2):
        folder = tmp_path / f"draft-{number}"
        folder.mkdir()
        catalog.publish(write_draft(folder, answer=b"%d" % number), folder)
    catalog.move("ads", "production", 2, who="ann", why="<b>faster</b>")
    return catalog


def test_a_damaged_version_hides_no_other(catalog):
    catalog.store.create(numbered(versions_prefix("ads"), 3), b"{}")
    look = look_at_model(catalog, "ads", None)
    assert [row.version for row in look.versions] == [3, 2, 1]
    assert [row.fault is None for row in look.versions] == [False, True, True]
    assert look.names_of(2) == ("production",)
    assert look.versions[1].errors == {"cpu": {"conversion": 0.1}}


def test_lists_models_and_history(catalog):
    assert list_models(catalog, "AD", 1).models[0].channels == {"production": 2}
    assert list_models(catalog, "other", 1).models == ()
    assert look_at_channel(catalog, "ads", "production").moves[0].why == "<b>faster</b>"
    assert len(search(catalog, "target=cpu", "").versions) == 2
    assert len(search(catalog, "AD", "").versions) == 2


def test_says_what_is_not_there_or_no_condition(catalog):
    with pytest.raises(NotThereError):
        read_version(catalog, "ads", 9)
    with pytest.raises(NotThereError):
        check_there("channel", "..")
    with pytest.raises(NotThereError):
        look_at_channel(catalog, "ads", "other")
    with pytest.raises(RefusalError):
        search(catalog, "nonsense=1", "")
    for left_open in ('tool="t', "t\\"):
        with pytest.raises(RefusalError, match=r"a quote or a backslash is open at its end$"):
            search(catalog, left_open, "")


@pytest.mark.parametrize("host", ["evil.example", "", "a b", "127.0.0.1.evil.example:80"])
def test_refuses_names_of_others(host):
    with pytest.raises(MisdirectedError):
        check_host(host, ())


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "[::1]:8080", "localhost", "Registry.lan:80"])
def test_answers_to_its_own_names(host):
    check_host(host, {"registry.lan"})


def test_takes_only_its_own_forms_and_token():
    promotion, nonce = new_promotion("0123456789abcdef"), new_nonce()
    headers = {"cookie": cookie(nonce)[1]}
    promotion.check_form(promotion.form_of(nonce), headers)
    promotion.check_token("0123456789abcdef")
    for form, sent in ((promotion.form_of(nonce), {}), ("", headers), ("0" * 64, headers)):
        with pytest.raises(ForbiddenError):
            promotion.check_form(form, sent)
    with pytest.raises(ForbiddenError):
        promotion.check_token("0123456789abcdeF")


def test_a_token_cannot_be_guessed():
    assert len(new_promotion(None).token) > 40
    assert new_promotion(None).token != new_promotion(None).token
    for token in ("", "short", "ä" * 20):
        with pytest.raises(ServeError):
            new_promotion(token)


def test_each_error_has_its_status_and_a_bug_is_not_told(caplog):
    statuses = {
        NotThereError("x"): (404, "x"),
        StoreError("x"): (502, "x"),
        ResourceError("no room"): (500, "no room"),
    }
    assert {error: explain(error) for error in statuses} == statuses
    assert caplog.records == []
    status, text = explain(KeyError("secret"))
    assert (status, "secret" in text, len(caplog.records)) == (500, False, 1)


@pytest.mark.parametrize(
    "headers", [{"origin": "null"}, {"origin": "http://b"}, {"sec-fetch-site": "cross-site"}]
)
def test_refuses_what_other_sites_send(headers):
    with pytest.raises(ForbiddenError):
        check_origin({"host": "a", **headers})


def test_a_version_tells_when_channels_pointed_to_it_and_by_which_rollout(catalog):
    catalog.point("ads", "production", 1, Reason("bob", "back", "local"))
    catalog.move("ads", "production", 2, who="ann", why="again")
    catalog.move("ads", "candidate", 2, who="ann", why="new")
    catalog.drop("ads", "candidate", who="ann", why="done")
    moves = catalog.history("ads", "production")
    (stay,) = look_at_version(catalog, "ads", 1).served
    assert (stay.move.environment, stay.move.when, stay.until) == (
        "local",
        moves[1].when,
        moves[2].when,
    )
    served = look_at_version(catalog, "ads", 2).served
    assert [(stay.move.channel, stay.until is None) for stay in served] == [
        ("candidate", False),
        ("production", True),
        ("production", False),
    ]
