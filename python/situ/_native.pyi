"""Types of the compiled module; `make lint` compares them with what was built."""

__all__ = ["version"]

def version() -> str: ...
