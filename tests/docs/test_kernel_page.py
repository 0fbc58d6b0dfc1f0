"""The page about kernels shows code that runs."""

import re
import runpy
from pathlib import Path

import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kernels.md"


def test_the_first_example_runs(tmp_path: Path) -> None:
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    script = tmp_path / "example.py"
    script.write_text(block.group(1), encoding="utf-8")
    names = runpy.run_path(str(script))
    x = np.arange(8.0)
    expected = 1 + 2 * (2 * x) + np.where(x < 4, 2 * x, 0)
    np.testing.assert_array_equal(names["y"].to_numpy(), expected)
