"""Modules that are tables: a peer's names, and what each of them is in situ.

A name that the peer has and situ has not is in the table, too: it can be imported, and says what to
do instead when it is called. A name that the peer has not either is an `AttributeError` with the
nearest ones.
"""

import difflib
from collections.abc import Mapping
from types import ModuleType
from typing import NoReturn

from situ.exceptions import SituError

__all__ = ["CompatError", "NotInSituError", "PeerModule", "Refusal"]


class CompatError(SituError, RuntimeError):
    """The peers' modules cannot be provided, because the real ones are in use already."""


class NotInSituError(SituError, NotImplementedError):
    """A peer has this and situ has not; the message has what to use instead."""


class Refusal:
    """A peer's function or class that situ has nothing for.

    Parameters
    ----------
    name : str
        The name in the peer, with its module.
    instead : str
        What to do instead, in situ's names.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name
        self.__doc__ = f"Not in situ: {instead}."
        self._instead = instead

    def refuse(self) -> NoReturn:
        """Raise the error that says what to do instead."""
        msg = (
            f"`{self.__qualname__}` is not in situ\n"
            "  why:  `situ.compat` gives names of situ to programs that use others; there is none "
            "for this one\n"
            f"  help: {self._instead}"
        )
        raise NotInSituError(msg)

    def __call__(self, *_arguments: object, **_keywords: object) -> NoReturn:
        """Refuse."""
        self.refuse()

    def __getattr__(self, name: str) -> "Refusal":
        # What is inside of it is not in situ either. Python itself asks for the others.
        if name.startswith("__"):
            raise AttributeError(name)
        return Refusal(f"{self.__qualname__}.{name}", self._instead)

    def __instancecheck__(self, instance: object) -> bool:
        """Nothing is one."""
        return False

    def __repr__(self) -> str:
        return f"<{self.__qualname__}, which is not in situ>"


class PeerModule(ModuleType):
    """A module of a peer.

    Parameters
    ----------
    name : str
        Its full name.
    doc : str
        What it is.
    table : mapping of str to object
        Its names.
    """

    def __init__(self, name: str, doc: str, table: Mapping[str, object]) -> None:
        super().__init__(name, doc)
        # A package, so that the modules inside of it can be imported.
        self.__dict__["__path__"] = list[str]()
        self.__all__ = sorted(key for key in table if not key.startswith("_"))
        self.__dict__.update(table)

    def __getattr__(self, name: str) -> NoReturn:
        # Python itself asks for these and is content without.
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")  # noqa: EM102
        near = difflib.get_close_matches(name, self.__all__, 3)
        help_ = (
            "is one of these meant? " + ", ".join(f"`{self.__name__}.{one}`" for one in near)
            if near
            else f"`dir({self.__name__})` lists what there is"
        )
        msg = (
            f"module {self.__name__!r} has no attribute {name!r}\n"
            "  why:  this module is a table of names by `situ.compat`, and the peer has no public "
            "name like that\n"
            f"  help: {help_}"
        )
        raise AttributeError(msg, name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__)

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} of situ.compat>"
