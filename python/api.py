"""Writes docs/python-api.md: every name of the package with its signature and the first sentence of its docstring.

    python python/api.py > docs/python-api.md
"""

import inspect
import re

import pathqp

HEAD = """# Names of the Python package

Made by `python python/api.py > docs/python-api.md` from the docstrings, which say more: `help(pathqp.QuantileSVC)`. A test compares this page with them.
[python.md](python.md) shows each estimator at work. `get_params`, `set_params`, `score` and the like are those of scikit-learn.
"""


def first_sentence(thing):
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`").replace("|", "\\|")
    return re.split(r"(?<=[.)])\s(?=[A-Z])", text)[0].rstrip(":")


def signature(name, thing):
    found = inspect.signature(thing)
    kept = [p for p in found.parameters.values() if p.name != "self"]
    return f"{name}{found.replace(parameters=kept)}".replace("|", "\\|")


def attributes(cls):
    """Names from the section "Attributes" of a docstring."""
    found = re.search(r"^Attributes\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(cls) or "", flags=re.M | re.S)
    return [line for line in found[1].splitlines() if not line.startswith(" ")] if found else []


def methods(cls):
    """Public methods that this package defines."""
    known = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("pathqp."):
            known.update(vars(base))
    made_elsewhere = re.compile("set_(params|.*_request)")
    return {n: f for n, f in sorted(known.items()) if not n.startswith("_") and inspect.isfunction(f) and not made_elsewhere.fullmatch(n)}


def page():
    lines = [HEAD]
    names = sorted(name for name in pathqp.__all__ if not name.startswith("_"))
    classes = [name for name in names if inspect.isclass(getattr(pathqp, name))]
    for name in sorted(classes, key=lambda n: not hasattr(getattr(pathqp, n), "fit")):
        cls = getattr(pathqp, name)
        lines.append(f"## {name}\n\n{first_sentence(cls)}\n")
        if hasattr(cls, "fit"):
            lines.append(f"```text\n{signature(name, cls)}\n```\n".replace("\\|", "|"))
        if attributes(cls):
            lines.append("Attributes: " + "; ".join(f"`{line}`" for line in attributes(cls)) + ".\n")
        if methods(cls):
            lines.append("| method | |\n|---|---|")
            lines += [f"| `{signature(n, f)}` | {first_sentence(f)} |" for n, f in methods(cls).items()]
            lines.append("")
    lines.append("## Functions\n\n| function | |\n|---|---|")
    functions = [name for name in names if name not in classes]
    lines += [f"| `{signature(n, getattr(pathqp, n))}` | {first_sentence(getattr(pathqp, n))} |" for n in functions]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
