"""The conda recipe is for the version, the interpreter and the dependencies of the package."""

import re

import pytest
from conftest import ROOT

yaml = pytest.importorskip("yaml", reason="recipes are read with PyYAML: pip install 'pathqp[test]'")
tomllib = pytest.importorskip("tomllib", reason="TOML is read from Python 3.11 on")


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load((ROOT / "python" / "conda" / "recipe.yaml").read_text())


def toml(name):
    return tomllib.loads((ROOT / name).read_text())


def parts(requirement):
    """A name, and its conditions in order."""
    name, conditions = re.fullmatch(r"([\w-]+) ?(.*)", requirement).groups()
    return name, sorted(conditions.split(",")) if conditions else []


def test_version_and_license(recipe):
    package = toml("Cargo.toml")["workspace"]["package"]
    assert recipe["schema_version"] == 1
    assert recipe["context"]["version"] == package["version"]
    assert recipe["package"] == {"name": "pathqp", "version": "${{ version }}"}
    assert recipe["about"]["license"] == package["license"]
    assert all((ROOT / name).is_file() for name in recipe["about"]["license_file"])


def test_dependencies(recipe):
    package = toml("python/pyproject.toml")
    asked = {"python": sorted(package["project"]["requires-python"].split(","))}
    asked.update(parts(requirement) for requirement in package["project"]["dependencies"])
    assert dict(map(parts, recipe["requirements"]["run"])) == asked
    built = dict(map(parts, recipe["requirements"]["host"]))
    assert built["maturin"] == dict(map(parts, package["build-system"]["requires"]))["maturin"]


def test_what_it_builds(recipe):
    folder = ROOT / "python" / "conda" / recipe["source"]["path"]
    [command] = recipe["build"]["script"]
    assert (folder / re.search(r"pip install (\S+)", command)[1] / "pyproject.toml").is_file()
