"""Running the command as users do."""

import os
import subprocess
import sys


def run(*arguments, cache, **environment):
    """Run the command in a process of its own, without the settings of this one."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SITU_")}
    return subprocess.run(
        [sys.executable, "-m", "situ", *arguments],
        env={**clean, "SITU_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
    )
