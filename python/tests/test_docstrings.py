"""Docstrings in numpydoc's form: every parameter by its name and kind, what is returned, what is raised."""

import ast
import importlib.util
import inspect
import re

import pytest

import pathqp
from conftest import ROOT

STUBS = ROOT / "python" / "pathqp"


def api():
    spec = importlib.util.spec_from_file_location("api", ROOT / "python" / "api.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def public():
    """(name, object) of all classes, their methods and all functions."""
    page = api()
    for name in pathqp.__all__:
        thing = getattr(pathqp, name)
        if inspect.isclass(thing):
            yield name, thing
            yield from ((f"{name}.{method}", found) for method, found in page.methods(thing).items())
        elif inspect.isfunction(thing):
            yield name, thing


def sections(thing):
    """The text of each section of a docstring by its heading; the head by an empty one."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def entries(section):
    """Names of an entry's line, its kind, and what is said of it."""
    blocks = re.split(r"\n(?=\S)", section.strip("\n"))
    for block in filter(None, blocks):
        head, _, text = block.partition("\n")
        names, _, kind = head.partition(" : ")
        yield names.split(", "), kind, text.strip()


def parameters(thing):
    found = inspect.signature(thing.__init__ if inspect.isclass(thing) else thing).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(p.kind, "") + p.name for p in found if p.name != "self"]


@pytest.mark.parametrize("name, thing", list(public()), ids=lambda value: value if isinstance(value, str) else "")
def test_sections(name, thing):
    found = sections(thing)
    summary = found[""].split("\n\n")[0]
    assert summary.rstrip().endswith((".", ":")), f"{name} has no summary that is a sentence"
    if inspect.isclass(thing) and not hasattr(thing, "get_params") and "Parameters" not in found:
        listed = [line for line in entries(found.get("Attributes", ""))]
        assert listed or issubclass(thing, (Exception, Warning)) or not vars(thing).get("__init__"), f"{name} has no section Attributes"
    else:
        listed = [entry for names, kind, text in entries(found.get("Parameters", "")) for entry in names]
        assert listed == parameters(thing), f"{name}: Parameters"
        for names, kind, text in entries(found.get("Parameters", "")):
            assert text, f"{name}: nothing is said of {names}"
            assert kind or names[0].startswith("*") or "As in" in text, f"{name}: {names} have no kind"
            assert "optional" not in kind, f"{name}: say the default of {names}"
    for names, kind, text in entries(found.get("Attributes", "")):
        assert kind and text, f"{name}: {names}"
    if not inspect.isclass(thing):
        assert "Returns" in found, f"{name} does not say what it returns"


def test_estimators_say_what_they_raise():
    for name, thing in public():
        if name.endswith((".fit", ".fit_moments", ".fit_prices")):
            assert "InputError" in sections(thing).get("Raises", ""), name


def test_arrays_have_shapes():
    for name, thing in public():
        for section in ("Parameters", "Attributes"):
            for names, kind, text in entries(sections(thing).get(section, "")):
                if kind.startswith(("array-like", "ndarray of shape")):
                    assert "shape" in kind, f"{name}: {names}"


def stub(name):
    return ast.parse((STUBS / name).read_text())


def defined(body):
    return {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def arguments(node):
    a = node.args
    return [arg.arg for arg in a.posonlyargs + a.args + a.kwonlyargs if arg.arg not in ("self", "cls")]


@pytest.mark.skipif(not STUBS.is_dir(), reason="there is no source tree")
def test_types_are_those_of_the_code():
    """The types of the public names are complete: each name, each parameter in its order, whether it has a default, and each annotation."""
    page, known = api(), defined(stub("__init__.pyi").body)
    names = [name for name in pathqp.__all__ if not name.startswith("_")]
    assert set(names) <= set(known)
    for name in names:
        thing, node = getattr(pathqp, name), known[name]
        if not inspect.isclass(thing):
            check_function(name, thing, node)
            continue
        body = [item for base in node.bases if getattr(base, "id", "") in known for item in known[base.id].body] + node.body
        inside = defined(body)
        annotated = {item.target.id for item in body if isinstance(item, ast.AnnAssign)} | set(inside)
        for line in page.attributes(thing):
            assert set(line.split(" :")[0].split(", ")) <= annotated, f"{name}: {line}"
        for method, found in page.methods(thing).items():
            check_function(f"{name}.{method}", found, inside[method])
        if hasattr(thing, "get_params"):
            check_function(name, thing.__init__, inside["__init__"])


def check_function(name, thing, node):
    found = [p for p in inspect.signature(thing).parameters.values() if p.name != "self" and p.kind is not p.VAR_KEYWORD]
    assert arguments(node) == [p.name for p in found], name
    with_default = sum(default is not None for default in node.args.kw_defaults) + len(node.args.defaults)
    assert with_default == sum(p.default is not p.empty for p in found), name
    every = [arg for arg in node.args.posonlyargs + node.args.args + node.args.kwonlyargs if arg.arg not in ("self", "cls")]
    assert all(arg.annotation is not None for arg in every) and node.returns is not None, name


@pytest.mark.skipif(not STUBS.is_dir(), reason="there is no source tree")
def test_the_compiled_module_is_described():
    """Every name of the compiled module is in its stub, and no other."""
    from pathqp import _pathqp

    known = stub("_pathqp.pyi")
    values = {item.target.id for item in known.body if isinstance(item, ast.AnnAssign)}
    names = {name for name in dir(_pathqp) if not name.startswith("_")} | {"__version__"}
    classes = defined(known.body)
    assert names == set(classes) | values
    for name, node in classes.items():
        if isinstance(node, ast.ClassDef) and not issubclass(getattr(_pathqp, name), Exception):
            methods = {method for method in vars(getattr(_pathqp, name)) if not method.startswith("_")}
            assert methods == {method for method in defined(node.body) if not method.startswith("_")}, name
