"""What a new user does first; run by test_wheel.py inside an environment with the wheel only."""

import situ


def main() -> None:
    """Take the first steps, and say so."""
    assert situ.__version__.count(".") == 2, situ.__version__
    print("first steps: ok")


if __name__ == "__main__":
    main()
