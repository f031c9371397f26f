"""A store says whose signatures count, and hosts hold it to what they were told."""

import json

import pytest

from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import TRUST, numbered
from registry.signing.anchors import read_anchor
from registry.signing.policy import PolicyTrust, read_policy, set_policy
from registry.signing.signer import Signer
from tests.drafts import write_draft
from tests.keys import Pair, make_pair
from tests.places import Place


def texts(*pairs: Pair) -> tuple[str, ...]:
    return tuple(read_anchor(pair.public) for pair in pairs)


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_the_policy_of_a_store_holds_until_the_next_one(place: Place, tmp_path):
    ann, bob = make_pair(tmp_path, "ann"), make_pair(tmp_path, "bob")
    catalog = Catalog(place.open())
    catalog.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")

    def resolve() -> int:
        return Catalog(place.open(), PolicyTrust(None)).resolve("ads").number

    assert read_policy(catalog.store) is None
    assert resolve() == 1
    set_policy(catalog.store, texts(ann, bob), who="ann", why="from now on")
    with pytest.raises(IntegrityError, match=r"not signed by whom the policy of .*no sign"):
        resolve()
    catalog.sign("ads", 1, Signer(bob.private))
    assert resolve() == 1
    set_policy(catalog.store, texts(ann), who="ann", why="bob has left")
    with pytest.raises(IntegrityError, match="a signature is another's"):
        resolve()
    assert set_policy(catalog.store, (), who="ann", why="enough").number == 3
    assert resolve() == 1


def test_a_host_that_pins_a_policy_believes_no_other(tmp_path, ads_catalog):
    ann, eve = make_pair(tmp_path, "ann"), make_pair(tmp_path, "eve")
    pin = set_policy(ads_catalog.store, texts(ann), who="ann", why="first").digest
    ads_catalog.sign("ads", 1, Signer(ann.private))
    ads_catalog.sign("ads", 2, Signer(eve.private))
    strict = Catalog(ads_catalog.store, PolicyTrust(pin))
    assert strict.resolve("ads@1").number == 1
    with pytest.raises(IntegrityError, match="ads@2 is not signed"):
        strict.resolve("ads@2")
    set_policy(ads_catalog.store, texts(eve), who="eve", why="ha")
    assert Catalog(ads_catalog.store, PolicyTrust(None)).resolve("ads@2").number == 2
    for number in (1, 2):
        with pytest.raises(IntegrityError, match=f"set by eve; this host believes sha256:{pin}"):
            Catalog(ads_catalog.store, PolicyTrust(pin)).resolve(f"ads@{number}")
    ads_catalog.store.remove([numbered(TRUST, 1), numbered(TRUST, 2)])
    with pytest.raises(IntegrityError, match="its trust policy is not there"):
        Catalog(ads_catalog.store, PolicyTrust(pin)).resolve("ads@1")


def test_commands_set_it_show_it_and_obey_it(ads_catalog, registry_command, tmp_path, monkeypatch):
    monkeypatch.delenv("PIPELINE_TRUST", raising=False)
    ann = make_pair(tmp_path, "ann")
    assert registry_command("trust", "show")[1] == "the store has no policy: all versions count\n"
    code, out, _ = registry_command("trust", "set", "--key", str(ann.public), "--why", "audit")
    assert code == 0
    assert ann.public.read_text().strip() in out
    pin = out.splitlines()[-1].split()[-1]
    shown = json.loads(registry_command("trust", "show", "--json")[1])["policy"]
    assert (f"PIPELINE_TRUST={shown['pin']}", shown["why"]) == (pin, "audit")
    assert registry_command("pull", "ads@1", "--out", "x")[0] == IntegrityError.exit_code
    assert registry_command("sign", "ads@1", "--key", str(ann.private))[0] == 0
    assert registry_command("pull", "ads@1", "--out", "x")[0] == 0
    assert registry_command("trust", "set", "--nobody", "--why", "enough")[0] == 0
    assert registry_command("pull", "ads@2", "--out", "y")[0] == 0
    monkeypatch.setenv("PIPELINE_TRUST", shown["pin"])
    assert registry_command("pull", "ads@1", "--out", "x")[0] == IntegrityError.exit_code


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ((), "no keys are named"),
        (("--identity", "ann@example.org"), "an identity takes --identity NAME and --issuer URL"),
        (("--identity", "a", "--issuer", "b", "--instance", "bad"), "bad: Expecting value"),
        (("--nobody", "--key", "bad"), "no keys are named"),
        (("--key", "bad"), "bad: holds no public key and no certificate"),
        (("--key", "lost"), "lost: No such file"),
    ],
)
def test_says_what_is_wrong_with_keys(ads_catalog, registry_command, tmp_path, options, fault):
    (tmp_path / "bad").write_text("no key")
    code, _, err = registry_command("trust", "set", *options, "--why", "x")
    assert (code, fault in err) == (StoreError.exit_code, True)
    assert read_policy(ads_catalog.store) is None
