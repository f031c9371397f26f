"""Moves of channels, and tags, that count only with a signature."""

import json

import pytest

from registry import Catalog
from registry.channel import pointed
from registry.errors import IntegrityError
from registry.layout import channel_prefix, numbered, signatures_prefix, tag_key
from registry.signing.anchors import read_anchor
from registry.signing.policy import PolicyTrust, set_policy
from registry.signing.signer import Signer
from registry.signing.trust import Trust
from registry.signing.vouched import vouched_bytes
from tests.drafts import write_draft
from tests.keys import Pair, make_pair
from tests.places import Place

UNSIGNED = "is not signed by .*: it has no signature"


@pytest.fixture
def ann(tmp_path) -> Pair:
    return make_pair(tmp_path, "ann")


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_a_channel_leads_nowhere_until_somebody_trusted_has_moved_it(place: Place, tmp_path, ann):
    plain = Catalog(place.open())
    for answer in (b"1", b"2"):
        plain.publish(write_draft(tmp_path / "draft", answer=answer), tmp_path / "draft")
    for number in (1, 2):
        plain.sign("ads", number, Signer(ann.private))
    plain.move("ads", "production", 1, who="eve", why="ha")
    set_policy(plain.store, (read_anchor(ann.public),), who="ann", why="so it is", moves=True)
    strict = Catalog(plain.store, PolicyTrust(None))
    with pytest.raises(IntegrityError, match=f"move 1 of ads@production, to .* by eve, {UNSIGNED}"):
        strict.resolve("ads@production")
    with pytest.raises(IntegrityError, match=UNSIGNED):  # and nothing is written
        strict.move("ads", "production", 2, who="ann", why="without a key")
    signing = Catalog(plain.store, PolicyTrust(None), signer=Signer(ann.private))
    assert signing.move("ads", "production", 1, who="ann", why="I say so").number == 2
    assert strict.resolve("ads@production").number == 1
    assert signing.move("ads", "production", 1, who="ann", why="again").number == 2
    plain.move("ads", "production", 2, who="eve", why="ha")
    with pytest.raises(IntegrityError, match=UNSIGNED):
        strict.channel("ads", "production")
    assert strict.pointers("ads") == {"production": 2}  # what is there can be shown
    signing.drop("ads", "production", who="ann", why="enough")
    assert strict.channel("ads", "production") is None
    assert [bool(one.signature) for one in strict.history("ads", "production")] == [
        False,
        True,
        False,
        True,
    ]


def test_a_move_that_was_changed_or_taken_from_elsewhere_does_not_count(ads_catalog, tmp_path, ann):
    store, trust = ads_catalog.store, Trust((ann.public,), moves=True)
    for number in (1, 2):
        ads_catalog.sign("ads", number, Signer(ann.private))
    signing = Catalog(store, trust, signer=Signer(ann.private))
    move = signing.move("ads", "canary", 1, who="ann", why="x")
    eve = Catalog(store, signer=Signer(make_pair(tmp_path, "eve").private))
    eve.move("ads", "production", 1, who="eve", why="x")
    forged = {
        "another's key": pointed(store, "ads", "production"),
        "another version": move.model_copy(update={"version": 2}),
        "another channel": move.model_copy(update={"channel": "production"}),
        "no bundle": move.model_copy(update={"signature": "\x1b{"}),
    }
    for record in forged.values():
        with pytest.raises(IntegrityError, match="is not signed by"):
            trust.check_record(store, "ads", record)
    trust.check_record(store, "ads", move)
    with pytest.raises(IntegrityError, match="what is signed are other bytes"):
        trust.check_record(store, "others", move)
    store.create(numbered(signatures_prefix("ads", 9), 1), move.signature.encode())
    with pytest.raises(IntegrityError, match="other bytes"):
        trust.check(store, "ads", 9, vouched_bytes("ads", move))


def test_tags_are_signed_likewise(ads_catalog, ann):
    store, trust = ads_catalog.store, Trust((ann.public,), moves=True)
    ads_catalog.sign("ads", 1, Signer(ann.private))
    ads_catalog.tag("ads", "spring", 1, who="eve", why="x")
    signing = Catalog(store, trust, signer=Signer(ann.private))
    assert signing.tag("ads", "autumn", 1, who="ann", why="x").signature
    strict = Catalog(store, trust)
    assert strict.resolve("ads@autumn").number == 1
    with pytest.raises(IntegrityError, match=f"the tag ads@spring, to .* {UNSIGNED}"):
        strict.resolve("ads@spring")
    with pytest.raises(IntegrityError, match=UNSIGNED):
        strict.tag("ads", "winter", 1, who="ann", why="without a key")
    assert store.get(tag_key("ads", "winter")) is None


def test_a_move_from_before_there_were_signatures_is_read(ads_catalog):
    ads_catalog.move("ads", "canary", 1, who="ann", why="x")
    key = numbered(channel_prefix("ads", "canary"), 1)
    told = json.loads(ads_catalog.store.get(key))
    del told["signature"]
    ads_catalog.store.remove([key])
    ads_catalog.store.create(key, json.dumps(told).encode())
    assert ads_catalog.resolve("ads@canary").number == 1


def test_commands_sign_moves_where_the_environment_names_a_key(
    ads_catalog, registry_command, monkeypatch, ann
):
    monkeypatch.delenv("PIPELINE_TRUST", raising=False)
    monkeypatch.delenv("PIPELINE_SIGN", raising=False)
    ads_catalog.sign("ads", 1, Signer(ann.private))
    told = registry_command("trust", "set", "--key", str(ann.public), "--moves", "--why", "x")
    assert "moves  of channels, and tags, count only with a signature" in told[1]
    promote = ("promote", "ads@1", "--channel", "production", "--why", "x")
    code, _, err = registry_command(*promote)
    assert (code, "where PIPELINE_SIGN names a key" in err) == (IntegrityError.exit_code, True)
    monkeypatch.setenv("PIPELINE_SIGN", str(ann.private))
    assert registry_command(*promote)[0] == 0
    monkeypatch.delenv("PIPELINE_SIGN")
    assert registry_command("pull", "ads@production", "--out", "x")[0] == 0
    monkeypatch.setenv("PIPELINE_TRUST", str(ann.public))
    monkeypatch.setenv("PIPELINE_TRUST_MOVES", "true")
    assert registry_command("pull", "ads@production", "--out", "x")[0] == 0
    ads_catalog.move("ads", "production", 2, who="eve", why="ha")
    assert registry_command("pull", "ads@production", "--out", "x")[0] == IntegrityError.exit_code
    assert registry_command("ls", "ads")[0] == 0
