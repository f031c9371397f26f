"""Versions that are signed without a key: by an instance of sigstore that runs here."""

import base64
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import numbered, versions_prefix
from registry.signing.faults import Question, faults_of
from registry.signing.identity_anchor import write_identity
from registry.signing.kept import signatures_of
from registry.signing.keyless import Keyless
from registry.signing.token import VARIABLE
from registry.signing.trust import Trust
from registry.store import open_store
from tests.drafts import write_draft
from tests.sigstore_instance import ISSUER, sigstore_instance, token

ANN, BUILD = "ann@example.org", "https://ci.example/team/models/build.yml@main"


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch, tmp_path):
    """Take away what this host could sign or be trusted with."""
    for name in list(os.environ):
        if name.startswith(("SIGSTORE_", "GITHUB_", "PIPELINE_TRUST", "PIPELINE_SIGN")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def catalog(tmp_path) -> Catalog:
    catalog = Catalog(open_store(str(tmp_path / "store")))
    catalog.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")
    return catalog


def anchor(folder: Path, identity: str, instance: Path | None, issuer: str = ISSUER) -> Path:
    path = folder / "identity.json"
    path.write_text(write_identity(identity, issuer, instance))
    return path


def fault(commit: bytes, signature: bytes, anchor: Path) -> str | None:
    (found,) = faults_of(Question(commit, (signature,), (anchor,)))
    return found


def test_who_signs_by_an_identity_is_believed_without_a_network(catalog, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, token(BUILD))
    with sigstore_instance() as running, sigstore_instance() as stranger:
        instance = running.write(tmp_path)
        (tmp_path / "other").mkdir()
        other = stranger.write(tmp_path / "other")
        catalog.sign("ads", 1, Keyless(instance=instance))
    commit = catalog.store.get(numbered(versions_prefix("ads"), 1))
    (signature,) = signatures_of(catalog.store, "ads", 1)
    assert token(BUILD).encode() not in signature
    strict = Catalog(catalog.store, Trust((anchor(tmp_path, BUILD, instance),)))
    assert strict.resolve("ads").number == 1

    def held_against(identity: str, root: Path | None, issuer: str = ISSUER) -> str:
        return fault(commit, signature, anchor(tmp_path, identity, root, issuer))

    assert held_against(BUILD, instance) is None
    assert "SANs" in held_against(ANN, instance)
    assert "OIDCIssuer" in held_against(BUILD, instance, "https://else.example")
    assert "CertValidationError" in held_against(BUILD, other)
    assert "a signature is another's" in held_against(BUILD, None)  # the public instance's
    assert fault(commit + b" ", signature, anchor(tmp_path, BUILD, instance)).startswith("what is")
    for changed in tampered(json.loads(signature)):
        assert fault(commit, changed, tmp_path / "identity.json") is not None


def tampered(bundle: dict) -> list[bytes]:
    """Change a bundle: the time in its log, the promise, the place in the log, what is signed."""
    text = json.dumps(bundle)

    def entry(**fields: object) -> bytes:
        copy = json.loads(text)
        copy["verificationMaterial"]["tlogEntries"][0] |= fields
        return json.dumps(copy).encode()

    (there,) = bundle["verificationMaterial"]["tlogEntries"]
    payload = base64.b64decode(bundle["dsseEnvelope"]["payload"]).replace(b"sha256", b"sha512")
    forged = {**bundle["dsseEnvelope"], "payload": base64.b64encode(payload).decode()}
    return [
        entry(integratedTime=str(int(there["integratedTime"]) + 1)),
        entry(inclusionPromise={"signedEntryTimestamp": base64.b64encode(b"none").decode()}),
        entry(inclusionProof={**there["inclusionProof"], "treeSize": "2"}),
        json.dumps({**bundle, "dsseEnvelope": forged}).encode(),
        json.dumps({**bundle, "verificationMaterial": {}}).encode(),
    ]


def test_a_certificate_that_was_used_when_it_had_expired_does_not_count(
    catalog, tmp_path, monkeypatch
):
    monkeypatch.setenv(VARIABLE, token(ANN))
    with sigstore_instance(late=timedelta(hours=1)) as running:
        instance = running.write(tmp_path)
        catalog.sign("ads", 1, Keyless(instance=instance))
    with pytest.raises(IntegrityError, match=r"another's \(\w+: .*(expired|not valid)"):
        Catalog(catalog.store, Trust((anchor(tmp_path, ANN, instance),))).resolve("ads")


def test_says_why_nobody_could_sign_and_never_the_token(catalog, tmp_path, monkeypatch):
    with sigstore_instance() as running:
        instance = running.write(tmp_path)
        with pytest.raises(StoreError, match="an identity token: there is none"):
            catalog.sign("ads", 1, Keyless(instance=instance))
        (tmp_path / "empty").write_text("")
        with pytest.raises(StoreError, match="empty: there is none"):
            catalog.sign("ads", 1, Keyless(tmp_path / "empty", instance))
        for bad in ("no.token.at-all", token(ANN, lasts=-300), token(ANN, audience="x")):
            (tmp_path / "token").write_text(bad)
            with pytest.raises(StoreError, match="IdentityError") as caught:
                catalog.sign("ads", 1, Keyless(tmp_path / "token", instance))
            assert bad not in str(caught.value)
    good = token(ANN)
    monkeypatch.setenv(VARIABLE, good)
    with pytest.raises(
        StoreError, match=r"does not sign: .*Connection|does not sign: Network"
    ) as it:
        catalog.sign("ads", 1, Keyless(instance=instance))
    assert good not in str(it.value)
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(StoreError, match=r"x\.json: is no JSON object"):
        catalog.sign("ads", 1, Keyless(instance=tmp_path / "x.json"))
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with pytest.raises(StoreError, match="the CI service gives no identity token"):
        catalog.sign("ads", 1, Keyless(instance=instance))
    assert signatures_of(catalog.store, "ads", 1) == ()


def test_the_public_instance_is_asked_for_where_no_other_is_named(catalog, tmp_path, monkeypatch):
    """The proxy refuses: what cannot be reached from a test is not reached."""
    monkeypatch.setenv(VARIABLE, token(ANN))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with pytest.raises(StoreError, match="sigstore does not sign: TUFError: Failed to refresh"):
        catalog.sign("ads", 1, Keyless())


def test_commands_sign_by_an_identity_and_trust_one(
    ads_catalog, registry_command, tmp_path, monkeypatch
):
    with sigstore_instance() as running:
        instance = str(running.write(tmp_path))
        whom = ("--identity", BUILD, "--issuer", ISSUER, "--instance", instance)
        code, out, _ = registry_command("trust", "set", *whom, "--why", "CI alone")
        assert (code, BUILD in out) == (0, True)
        (tmp_path / "token").write_text(token(BUILD))
        by = ("--keyless", "--token", str(tmp_path / "token"), "--instance", instance)
        told = registry_command("sign", "ads@1", *by)
        assert told[:2] == (0, "ads@1 is signed with an identity, by sigstore\n")
        (tmp_path / "token").write_text(token(ANN))
        assert registry_command("sign", "ads@2", *by)[0] == 0
        monkeypatch.setenv(VARIABLE, token(BUILD))
        monkeypatch.setenv("PIPELINE_SIGN", f"sigstore{os.pathsep}{instance}")
        assert registry_command("pull", "ads@1", "--out", "x")[0] == 0
        assert registry_command("pull", "ads@2", "--out", "y")[0] == IntegrityError.exit_code
        assert registry_command("sign", "ads@2")[0] == 0
    assert registry_command("pull", "ads@2", "--out", "y")[0] == 0
    for faulty in (("--keyless", "--key", "x"), ("--token", "x"), ()):
        monkeypatch.delenv("PIPELINE_SIGN", raising=False)
        assert registry_command("sign", "ads@2", *faulty)[0] == StoreError.exit_code
