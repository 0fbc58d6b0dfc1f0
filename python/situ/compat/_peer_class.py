"""Classes of the peers: other constructors for objects of situ's classes.

Situ's queues, devices and arrays are final classes, and arrays hand out queues by themselves, so a
class of a peer cannot be a subclass. It is a class of which situ's objects are instances, whose
call makes one the peer's way, and whose attributes are those of situ's class.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["peer_class"]


class _PeerClass(type):
    """What calling such a class, or asking for its instances and attributes, means."""

    situ_class: type
    make: Callable[..., Any]
    has: Callable[[Any], bool] | None

    def __call__(cls, *arguments: object, **keywords: object) -> Any:  # noqa: ANN401
        return cls.make(*arguments, **keywords)

    def __instancecheck__(cls, instance: object) -> bool:
        is_one = isinstance(instance, cls.situ_class)
        return is_one and (cls.has is None or cls.has(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.situ_class)

    def __getattr__(cls, name: str) -> object:
        return getattr(cls.situ_class, name)

    def __dir__(cls) -> list[str]:
        return dir(cls.situ_class)


def peer_class(
    name: str,
    module: str,
    situ_class: type,
    make: Callable[..., Any],
    has: Callable[[Any], bool] | None = None,
) -> type:
    """Return a class of a peer.

    Parameters
    ----------
    name, module : str
        What it is called, and where.
    situ_class : type
        The class its objects have.
    make : function
        Makes one of the arguments that the peer's constructor takes.
    has : function, optional
        Whether an object of situ's class is of this one, if not all are.
    """
    body = {
        "__doc__": f"{make.__doc__ or name}\n\nIts objects are `{situ_class.__name__}` of situ.",
        "__module__": module,
        "situ_class": situ_class,
        "make": staticmethod(make),
        "has": None if has is None else staticmethod(has),
    }
    return _PeerClass(name, (), body)
