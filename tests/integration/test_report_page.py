"""The report in a real browser: wide and narrow, light and dark, offline, accessible."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from pipeline.report.write import write_report
from tests.run_records import ids_program, run_record, split

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("passed", [True, False])
def test_reads_well_everywhere(browser, tmp_path, scheme, width, passed):
    page_file = write_report(run_record(passed=passed), tmp_path)
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(page_file.as_uri())
    for summary in page.locator("summary").all():
        summary.click()
    assert page.get_by_role("heading", level=1).inner_text().startswith("movielens-dlrm")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked == [page_file.as_uri()]
    assert said == []
    # axe needs to run a script, which the page itself forbids.
    results = Axe().run(page_without_policy(page, page_file))
    assert results.violations_count == 0, results.generate_report()
    page.close()


@pytest.mark.parametrize("width", [360, 1000, 1200])
def test_the_way_through_the_parts_needs_no_scrolling_sideways(browser, tmp_path, width):
    widest = run_record().model_copy(update={"split": split(ids=ids_program())})
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(write_report(widest, tmp_path).as_uri())
    (shown,) = (one for one in page.locator(".flow").all() if one.is_visible())
    place = shown.bounding_box()
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= width
    inner = [one.bounding_box() for one in shown.locator("rect, li").all()]
    assert len(inner) >= 8
    assert all(box["x"] + box["width"] <= width for box in inner)
    page.close()


def page_without_policy(page, page_file):
    text = page_file.read_text().replace("Content-Security-Policy", "x-none")
    page.set_content(text)
    for summary in page.locator("summary").all():
        summary.click()
    return page
