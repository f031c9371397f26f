"""`pipeline registry serve` in a real browser: wide and narrow, light and dark, accessible."""

import subprocess

import pytest
from axe_playwright_python.sync_playwright import Axe

from registry import Catalog
from registry.store import open_store
from tests import versions
from tests.drafts import write_draft
from tests.registry_site import ROOT, SERVE, TOKEN, site_of

PAGES = (
    "/models",
    "/models/ads",
    "/models/ads/channels/production",
    "/models/ads/versions/2",
    "/models/ads/parity",
    "/models/ads/speed",
    "/models/ranker/versions/1",
    "/models/ranker/versions/1/graph",
    "/models/ads/diff?before=1&after=2",
    "/search?where=target%3Dcpu",
    "/search",
    "/nothing",
)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    root = tmp_path_factory.mktemp("pages")
    catalog = Catalog(open_store(str(root / "store")))
    for number in range(2):
        folder = root / f"draft-{number}"
        folder.mkdir()
        draft = write_draft(folder, answer=b"%d" % number)
        (folder / "job.yaml").write_text(f"schema: {number}\n" + "a long line " * 30)
        page = "<p>inside</p><script>document.body.append('ran')</script>"
        (folder / "report" / "index.html").write_text(page)
        catalog.publish(draft, folder)
    versions.publish(catalog, root, 1, runtimes=("onnxruntime",))
    catalog.move("ads", "production", 1, who="ann", why="a long reason " * 20)
    return catalog


@pytest.fixture(scope="module")
def site(catalog):
    with site_of(catalog.store.url, "--allow-promote") as address:
        yield address


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_reads_well_everywhere(browser, site, width, scheme):
    # axe needs to run a script, which the pages forbid.
    context = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    page = context.new_page()
    for path in PAGES:
        page.goto(site + path)
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.get_by_role("heading", level=1).count() == 1
        results = Axe().run(page)
        assert results.violations_count == 0, path + results.generate_report()
    context.close()


def test_loads_only_its_own_and_its_policy_holds(browser, site):
    page = browser.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    for path in PAGES[:-1]:
        page.goto(site + path)
    assert asked
    assert all(url.startswith(site) for url in asked)
    assert all("frame is sandboxed" in text for text in said), said
    page.goto(site + "/models/ads/versions/2")
    page.locator("iframe").scroll_into_view_if_needed()
    report = page.frame_locator("iframe")
    report.get_by_text("inside").wait_for()
    assert "ran" not in report.locator("body").inner_text().split()
    page.close()


def test_works_by_keyboard_and_promotes_by_its_form(browser, site, catalog):
    page = browser.new_page()
    page.goto(site + "/models/ads")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for label, text in (
        ("Version", "2"),
        ("Channel", "production"),
        ("Who you are", "bob"),
        ("Why", "by hand"),
        ("Token", TOKEN),
    ):
        page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")
    page.wait_for_url(site + "/models/ads")
    page.get_by_text("by hand").wait_for()
    move = catalog.channel("ads", "production")
    assert (move.version, move.who) == (2, "bob")
    page.close()


def test_a_search_begins_in_the_header_of_every_page_and_leads_to_a_graph(browser, site):
    page = browser.new_page()
    page.goto(site + "/models/ads")
    for _ in range(6):  # past the skip link, home, and what the header leads to
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.accessKey") == "/"
    page.keyboard.type("rank")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="ranker@1").click()
    page.get_by_role("link", name="Graph of onnxruntime").click()
    page.get_by_role("heading", name="onnxruntime").wait_for()
    assert page.locator("svg rect").count() == 7  # two inputs, four nodes, an output
    page.close()


def test_an_address_that_is_taken_is_said(site, catalog):
    port = site.rpartition(":")[2]
    done = subprocess.run(
        [*SERVE, "--store", catalog.store.url, "--port", port],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 20
    assert "cannot be had" in done.stderr
