"""What tools warn of while they convert a model stands in the report."""

from pathlib import Path

from tests.bench import SOUND, Bench


def test_a_warning_of_an_export_is_in_the_report_also_where_its_stage_is_cached(tmp_path):
    bench = Bench(tmp_path)
    bench.write(source=SOUND["source"] | {"factory": "bad_models:talkative"})
    for outcome in ("done", "cached"):
        assert bench.call("run", "job.yaml").code == 0
        folder = max(Path(tmp_path, "home", "runs", "ranker").iterdir())
        page = (folder / "report" / "index.html").read_text()
        assert f'<th scope="row">split</th><td class="">{outcome}</td>' in page
        told = "split, torch.export: scores will be &lt;logits&gt; from the next release on"
        assert page.count(told) == 1
