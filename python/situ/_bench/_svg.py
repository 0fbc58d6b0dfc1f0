"""Drawings in SVG: a few shapes, text, and colours that suit light and dark pages.

A drawing has a title and a description for those who do not see it, paints its own background, and
follows the reader's choice of light or dark. Nothing is fetched from elsewhere, fonts included.
"""

from html import escape

# Series are told apart by these colours, which are far apart for every kind of colour vision, and
# by shapes.
_LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "faint": "#6e7781", "rule": "#d0d7de"}
_DARK = {"paper": "#0d1117", "ink": "#e6edf3", "faint": "#9198a1", "rule": "#3d444d"}
_SERIES_LIGHT = ("#0b62b4", "#b34700", "#1a7a4c", "#8a3ffc", "#6e5a00")
_SERIES_DARK = ("#6cb6ff", "#ffa657", "#56d364", "#d2a8ff", "#e3c95b")
SERIES = len(_SERIES_LIGHT)


def _style() -> str:
    """Return the rules, in light and again in dark; without variables, which few programs know."""

    def rules(tones: dict[str, str], series: tuple[str, ...]) -> str:
        named = [
            f".paper {{ fill: {tones['paper']}; }}",
            f"text {{ fill: {tones['ink']}; }}",
            f".faint {{ fill: {tones['faint']}; }}",
            f".rule {{ stroke: {tones['rule']}; }}",
            f".mark {{ stroke: {tones['ink']}; }}",
        ]
        for number, colour in enumerate(series):
            named.append(f".s{number} {{ fill: {colour}; }} .l{number} {{ stroke: {colour}; }}")
        return " ".join(named)

    return (
        ".mark { stroke-width: 2; } .way { fill: none; stroke-width: 2; } "
        ".dashed { stroke-dasharray: 4 3; } "
        f"{rules(_LIGHT, _SERIES_LIGHT)} "
        f"@media (prefers-color-scheme: dark) {{ {rules(_DARK, _SERIES_DARK)} }}"
    )


class Drawing:
    """A drawing that grows by shapes; positions are pixels from the upper left."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        """Begin with an empty page."""
        self._width, self._height = width, height
        self._title, self._description = title, description
        self._shapes: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int = 12,
        anchor: str = "start",
        kind: str = "",
        is_bold: bool = False,
    ) -> None:
        """Write a line of text whose baseline is at `y`."""
        weight = ' font-weight="600"' if is_bold else ""
        self._shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'class="{kind}"{weight}>{escape(text)}</text>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "rule") -> None:
        """Draw a line."""
        self._shapes.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, series: int) -> None:
        """Draw a filled rectangle."""
        self._shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'class="s{series}"/>'
        )

    def way(self, points: list[tuple[float, float]], series: int, *, is_dashed: bool) -> None:
        """Connect points."""
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = " dashed" if is_dashed else ""
        self._shapes.append(f'<polyline points="{where}" class="way l{series}{dashed}"/>')

    def dot(self, x: float, y: float, series: int, radius: float = 4.5) -> None:
        """Draw the shape of a series: a circle, a square, a triangle, a diamond, a flat bar."""
        r = radius
        shapes: tuple[list[tuple[float, float]], ...] = (
            [],
            [(-r, -r), (r, -r), (r, r), (-r, r)],
            [(0, -1.2 * r), (1.15 * r, 0.9 * r), (-1.15 * r, 0.9 * r)],
            [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
            [(-1.3 * r, -r / 2), (1.3 * r, -r / 2), (1.3 * r, r / 2), (-1.3 * r, r / 2)],
        )
        corners = shapes[series % SERIES]
        kind = f"s{series % SERIES}"
        if not corners:
            self._shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" class="{kind}"/>')
            return
        where = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        self._shapes.append(f'<polygon points="{where}" class="{kind}"/>')

    def __str__(self) -> str:
        """Write the file."""
        size = f"{self._width} {self._height}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
                'font-family="system-ui, sans-serif" role="img" aria-labelledby="title text">',
                f'<title id="title">{escape(self._title)}</title>',
                f'<desc id="text">{escape(self._description)}</desc>',
                f"<style>{_style()}</style>",
                f'<rect class="paper" width="{self._width}" height="{self._height}"/>',
                *self._shapes,
                "</svg>\n",
            ]
        )
