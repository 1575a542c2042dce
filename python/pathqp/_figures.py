"""Figures that the command line draws too: SVG text, or a file in the form that its name asks for."""

import os

from ._pathqp import check_figure, encode_figure


def written(file, draw):
    """What ``draw`` returns, an SVG text, which is also written to the file unless that is None."""
    if file is None:
        return draw()
    name = os.fspath(file)
    check_figure(name)
    svg = draw()
    content = encode_figure(name, svg)
    with open(name, "wb") as out:
        out.write(content)
    return svg
