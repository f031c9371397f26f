"""Where outputs and runs are kept."""

from pipeline.home import find_home


def test_it_is_beside_the_work_unless_it_is_named(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PIPELINE_HOME", raising=False)
    assert find_home() == tmp_path / ".pipeline"
    monkeypatch.setenv("PIPELINE_HOME", "elsewhere")
    assert find_home() == tmp_path / "elsewhere"
