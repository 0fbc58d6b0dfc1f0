"""Objects that were pickled, made again."""

from situ._native import Allocation, devices

__all__ = ["allocation"]


def allocation(content: bytes, usm_type: str, filter_string: str) -> Allocation:
    """Make an allocation with some content, on the named device if there is one of that name."""
    known = {device.filter_string: device for device in devices()}
    restored = Allocation(len(content), usm_type, device=known.get(filter_string))
    restored.copy_from_host(content)
    return restored
