"""Help for testing programs that use situ.

`virtual_devices` adds devices that are not there, so that code for several GPUs is tested on any
machine.
"""

from situ.testing._virtual import virtual_devices

__all__ = ["virtual_devices"]
