from targets.serving.presence import Presence, announce, announced, withdraw


def presence(port, instance="a"):
    return Presence(
        model="ranker",
        reference="ranker@production",
        store="/store",
        host="127.0.0.1",
        port=port,
        pid=7,
        instance=instance,
    )


def test_finds_all_who_announced_themselves(tmp_path):
    for port in (8001, 8002):
        announce(tmp_path, presence(port))
    assert announced(tmp_path, "ranker") == (presence(8001), presence(8002))


def test_nobody_serves_a_model_that_was_never_served(tmp_path):
    assert announced(tmp_path, "ranker") == ()


def test_torn_and_foreign_files_count_as_nobody(tmp_path):
    path = announce(tmp_path, presence(8001))
    path.with_name("8002.json").write_text('{"model": "rank')
    path.with_name("8003.json").write_text('{"model": "ranker"}')
    path.with_name("8004.json").mkdir()
    assert announced(tmp_path, "ranker") == (presence(8001),)


def test_a_server_removes_its_own_file_only(tmp_path):
    path = announce(tmp_path, presence(8001, "successor"))
    withdraw(path, "a")
    assert path.exists()
    withdraw(path, "successor")
    assert not path.exists()
    withdraw(path, "successor")
