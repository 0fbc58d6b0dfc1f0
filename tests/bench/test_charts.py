"""The charts: well-formed, described, and without anything from elsewhere."""

import xml.etree.ElementTree as ElementTree

import pytest
from bench import made_up

from situ._bench import _charts
from situ._bench._lines import lines
from situ._bench._scaling import OPERATIONS

SVG = "{http://www.w3.org/2000/svg}"

CHARTS = {
    "speed": lambda: _charts.speed_chart(made_up.results(ratio=3.0, peers=("numba", "dpnp"))),
    "speed, quick": lambda: _charts.speed_chart(made_up.results(is_quick=True)),
    "scaling": lambda: _charts.scaling_chart(made_up.results()),
}


@pytest.fixture(params=CHARTS)
def chart(request):
    return CHARTS[request.param]()


def test_a_chart_is_well_formed_and_says_what_it_shows(chart):
    root = ElementTree.fromstring(chart)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    named = root.get("aria-labelledby", "").split()
    titles = {child.get("id"): child for child in root if child.get("id")}
    assert [titles[name].tag for name in named] == [f"{SVG}title", f"{SVG}desc"]
    assert all(titles[name].text for name in named)


def test_a_chart_has_colours_for_dark_pages_and_its_own_background(chart):
    assert "@media (prefers-color-scheme: dark)" in chart
    assert ElementTree.fromstring(chart).find(f"{SVG}rect[@class='paper']") is not None


def test_a_chart_fetches_nothing(chart):
    without_namespace = chart.replace("http://www.w3.org/2000/svg", "")
    for word in ("http", "url(", "@import", "<script", "<image", "href"):
        assert word not in without_namespace


def test_everything_is_inside_of_the_picture(chart):
    root = ElementTree.fromstring(chart)
    width, height = (float(part) for part in root.get("viewBox", "").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", "-1")) <= width
        assert 0 <= float(text.get("y", "-1")) <= height


def test_every_line_is_named_and_has_a_bar_with_its_mark():
    root = ElementTree.fromstring(CHARTS["speed"]())
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert "sin, float64, 10M" in texts
    assert {"situ", "Numba", "dpnp"} <= texts
    bars = [shape for shape in root.iter(f"{SVG}rect") if shape.get("class") == "s0"]
    assert len(bars) == len(lines())
    # A mark for each bar, one for NumPy, one in the legend.
    marks = [shape for shape in root.iter(f"{SVG}line") if shape.get("class") == "mark"]
    assert len(marks) == len(lines()) + 2


def test_every_operation_has_a_panel_with_a_way_for_each_layout_and_thread_count():
    root = ElementTree.fromstring(CHARTS["scaling"]())
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {operation.title for operation in OPERATIONS.values()} <= texts
    ways = list(root.iter(f"{SVG}polyline"))
    assert len(ways) == len(OPERATIONS) * 4 * 2
    assert sum("dashed" in way.get("class", "") for way in ways) == len(ways) / 2


def test_titles_with_special_characters_stay_well_formed():
    results = made_up.results()
    results.lines[0].title = "`a < b & c > d`"
    texts = ElementTree.fromstring(_charts.speed_chart(results)).iter(f"{SVG}text")
    assert any(text.text == "a < b & c > d, 10M" for text in texts)


def test_results_without_any_ratio_can_be_drawn():
    results = made_up.results()
    for line in results.lines:
        line.times.clear()
    for cell in results.scaling:
        cell.times.clear()
    ElementTree.fromstring(_charts.speed_chart(results))
    ElementTree.fromstring(_charts.scaling_chart(results))
