"""Versions that somebody vouches for, and hosts that believe no others."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from model_signing import verifying

from registry import Catalog
from registry.errors import IntegrityError, MissingExtraError, StoreError
from registry.layout import blob_key, numbered, signatures_prefix, versions_prefix
from registry.manifest import Version
from registry.signing.elsewhere import faults_elsewhere
from registry.signing.faults import Question, faults_of
from registry.signing.kept import signatures_of
from registry.signing.signer import FILE, FOLDER, Signer
from registry.signing.trust import Trust
from registry.store import open_store
from tests.drafts import write_draft
from tests.keys import Pair, make_pair, private_bytes
from tests.places import Place

both = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


def certify(folder: Path, name: str, issuer: tuple | None = None) -> tuple:
    """Make a key and its certificate, by an issuer or by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer_key, issuer_name = (issuer[0], issuer[1].subject) if issuer else (key, subject)
    now = datetime.now(UTC)
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    usage |= {"digital_signature": True, "key_cert_sign": not issuer, "crl_sign": not issuer}
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer_name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=9))
        .add_extension(x509.BasicConstraints(ca=not issuer, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**usage), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    (folder / f"{name}.key").write_bytes(private_bytes(key))
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return key, certificate


@pytest.fixture
def ann(tmp_path: Path) -> Pair:
    return make_pair(tmp_path, "ann")


def publish(catalog: Catalog, folder: Path) -> Version:
    return catalog.publish(write_draft(folder / "draft"), folder / "draft")


@both
def test_a_signed_version_is_believed_and_another_is_not(place: Place, tmp_path, ann):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path)
    strict = Catalog(place.open(), Trust((ann.public,)))
    with pytest.raises(IntegrityError, match=r"ads@1 is not signed by .*ann.pub: it has no signat"):
        strict.resolve("ads")
    catalog.sign("ads", 1, Signer(ann.private))
    assert strict.resolve("ads") == version
    other = Catalog(place.open(), Trust((make_pair(tmp_path, "eve").public,)))
    with pytest.raises(IntegrityError, match="a signature is another's"):
        other.resolve("ads")
    both_trusted = Catalog(place.open(), Trust((tmp_path / "eve.pub", ann.public)))
    assert both_trusted.resolve("ads") == version


@both
def test_a_manifest_that_was_changed_after_is_caught(place: Place, tmp_path, ann):
    catalog = Catalog(place.open())
    publish(catalog, tmp_path)
    catalog.sign("ads", 1, Signer(ann.private))
    key = numbered(versions_prefix("ads"), 1)
    commit = catalog.store.get(key)
    place.overwrite(key, commit.replace(b'"because": "it is a test"', b'"because": "it is fine"'))
    catalog.resolve("ads")
    with pytest.raises(IntegrityError, match="what is signed are other bytes"):
        Catalog(place.open(), Trust((ann.public,))).resolve("ads")


def test_the_signature_of_one_version_does_not_count_for_another(tmp_path, ann):
    store = open_store(str(tmp_path / "store"))
    catalog = Catalog(store)
    publish(catalog, tmp_path)
    catalog.publish(write_draft(tmp_path / "draft", answer=b"2"), tmp_path / "draft")
    catalog.sign("ads", 1, Signer(ann.private))
    (signature,) = signatures_of(store, "ads", 1)
    store.create(numbered(signatures_prefix("ads", 2), 1), signature)
    strict = Catalog(store, Trust((ann.public,)))
    assert strict.resolve("ads@1").number == 1
    with pytest.raises(IntegrityError, match="ads@2 is not signed"):
        strict.resolve("ads@2")


def test_tampering_with_a_file_of_a_signed_version_is_caught_and_named(tmp_path, ann):
    catalog = Catalog(open_store(str(tmp_path / "store")), Trust((ann.public,)))
    version = publish(Catalog(catalog.store), tmp_path)
    catalog.sign("ads", 1, Signer(ann.private))
    blob = tmp_path / "store" / blob_key(version.files["builds/cpu/model.bin"].digest)
    blob.chmod(0o644)
    blob.write_bytes(b"WEIGHTS")
    with pytest.raises(IntegrityError, match=r"builds/cpu/model\.bin: .*corrupt"):
        catalog.pull(catalog.resolve("ads"), tmp_path / "pulled")


def test_certificates_are_believed_through_their_authority(tmp_path):
    root = certify(tmp_path, "root")
    certify(tmp_path, "ci", root)
    certify(tmp_path, "stranger")
    store = open_store(str(tmp_path / "store"))
    publish(Catalog(store), tmp_path)
    signer = Signer(tmp_path / "ci.key", tmp_path / "ci.pem", (tmp_path / "root.pem",))
    Catalog(store).sign("ads", 1, signer)
    assert Catalog(store, Trust((tmp_path / "root.pem",))).resolve("ads").number == 1
    with pytest.raises(IntegrityError, match="a signature is another's"):
        Catalog(store, Trust((tmp_path / "stranger.pem",))).resolve("ads")


def test_other_tools_that_know_model_signing_can_check_it(tmp_path, ann):
    store = open_store(str(tmp_path / "store"))
    publish(Catalog(store), tmp_path)
    Catalog(store).sign("ads", 1, Signer(ann.private))
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / FILE).write_bytes(store.get(numbered(versions_prefix("ads"), 1)))
    (tmp_path / "bundle").write_bytes(signatures_of(store, "ads", 1)[0])
    config = verifying.Config().use_elliptic_key_verifier(public_key=ann.public)
    config.verify(tmp_path / FOLDER, tmp_path / "bundle")


def test_commands_of_a_host_that_trusts_somebody_refuse_what_is_unsigned(
    ads_catalog, registry_command, tmp_path, monkeypatch, ann
):
    monkeypatch.setenv("PIPELINE_TRUST", str(ann.public))
    code, _, err = registry_command("pull", "ads@1", "--out", "x")
    assert (code, "is not signed by" in err) == (IntegrityError.exit_code, True)
    told = registry_command("sign", "ads@1", "--key", str(ann.private))
    assert told[:2] == (0, f"ads@1 is signed with {ann.private}\n")
    assert registry_command("pull", "ads@1", "--out", "x")[0] == 0
    assert registry_command("promote", "ads@2", "--channel", "production", "--why", "x")[0] == code


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_says_that_a_key_cannot_be_used(tmp_path, content, ann):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path)
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(StoreError, match="bad: cannot sign with it"):
        catalog.sign("ads", 1, Signer(tmp_path / "bad"))
    catalog.sign("ads", 1, Signer(ann.private))
    with pytest.raises(StoreError, match="bad: holds no public key"):
        Catalog(catalog.store, Trust((tmp_path / "bad",))).resolve("ads")


def test_a_signature_that_is_none_is_passed_over(tmp_path, ann):
    store = open_store(str(tmp_path / "store"))
    catalog = Catalog(store)
    publish(catalog, tmp_path)
    store.create(numbered(signatures_prefix("ads", 1), 1), b"\xff not a bundle")
    with pytest.raises(IntegrityError, match="ads@1 is not signed"):
        Catalog(store, Trust((ann.public,))).resolve("ads")
    catalog.sign("ads", 1, Signer(ann.private))
    assert Catalog(store, Trust((ann.public,))).resolve("ads").number == 1


def test_another_environment_checks_as_this_one_does_or_says_that_it_cannot(tmp_path, ann):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path)
    catalog.sign("ads", 1, Signer(ann.private))
    commit = catalog.store.get(numbered(versions_prefix("ads"), 1))
    anchors = (make_pair(tmp_path, "eve").public, ann.public)
    question = Question(commit, (b"no bundle", *signatures_of(catalog.store, "ads", 1)), anchors)
    faults = faults_elsewhere(Path(sys.executable), question)
    assert faults == faults_of(question)
    assert [fault is None for fault in faults] == [False, False, False, True]
    with pytest.raises(MissingExtraError, match=r"nowhere cannot check signatures: .*No such file"):
        faults_elsewhere(tmp_path / "nowhere", question)
