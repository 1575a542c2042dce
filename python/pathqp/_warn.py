"""Warnings about the line of whoever uses the package, however deep inside they are found."""

import sys
import warnings


def warn(text, category):
    """Warns about the innermost line that is not of this package."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
