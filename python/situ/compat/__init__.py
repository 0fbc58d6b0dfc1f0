"""Programs written for dpctl, dpnp and numba-dpex, run by situ as they are.

``python -m situ.compat script.py`` runs a program for which ``dpctl``, ``dpnp``, ``numba_dpex`` and
``numba_dppy`` are tables of situ's own functions and classes; `install` does the same in a program
that is running. There is no second implementation here, so everything that is true of situ is true
of such a program: see the page about it in the documentation.
"""

from situ.compat._installation import install, uninstall
from situ.compat._peer_module import CompatError, NotInSituError

__all__ = ["CompatError", "NotInSituError", "install", "uninstall"]
