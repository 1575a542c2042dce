"""The site: python3 docs/book.py MDBOOK OUT builds the pages that docs/SUMMARY.md lists, and checks every link between them.

python3 docs/book.py --figures PATHQP makes the figures of docs/problems again, each by the command that its page shows, from the data in data/.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")


def figures(program):
    """Runs the commands that draw, in a folder where they find data/."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "data", Path(folder) / "data")
        for page in sorted((ROOT / "docs" / "problems").glob("*.md")):
            for line in re.findall(r"^pathqp (.* --plot .*)$", page.read_text(), flags=re.M):
                subprocess.run([program, *line.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for figure in Path(folder).glob("*.svg"):
            target = ROOT / "docs" / ("pima.svg" if figure.stem == "quantile-svm" else f"problems/{figure.name}")
            shutil.copyfile(figure, target)
            print(target.relative_to(ROOT))


def stage(source):
    """Copies the pages, and the files that they link to, into one folder with the layout of the project. A README there is an index here."""
    summary = ROOT / "docs" / "SUMMARY.md"
    pages = [summary, *((summary.parent / link).resolve() for link in LINK.findall(summary.read_text()))]
    for page in pages:
        text = page.read_text()
        for link in LINK.findall(text):
            target = (page.parent / unquote(link.split("#")[0])).resolve()
            if "://" not in link and target.is_file() and target not in pages:
                target_here = source / target.relative_to(ROOT)
                target_here.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, target_here)
        here = source / page.relative_to(ROOT)
        if page == summary:
            here, text = source / "SUMMARY.md", LINK.sub(lambda match: f"]({from_root(match[1])})", text)
        here.parent.mkdir(parents=True, exist_ok=True)
        here.with_name(here.name.replace("README", "index")).write_text(re.sub(r"README\.md([)#])", r"index.md\1", text))


def from_root(link):
    return (ROOT / "docs" / link).resolve().relative_to(ROOT)


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, file):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [value for key in ["href", "src"] if (value := attributes.get(key))]
        self.names.add(attributes.get("id"))


def broken(out):
    """Links of the site that lead nowhere."""
    pages = {file: Page(file) for file in out.rglob("*.html")}
    for file, page in pages.items():
        if file.name in ["404.html", "print.html"]:
            continue
        for link in page.links:
            name, _, place = link.partition("#")
            if ":" in name or link.startswith("//"):
                continue
            target = (file.parent / unquote(name)).resolve() if name else file
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or (place and target in pages and unquote(place) not in pages[target].names):
                yield f"{file.relative_to(out)}: {link}"


def main(arguments):
    if arguments[:1] == ["--figures"]:
        return figures(str(Path(arguments[1]).resolve()))
    program, out = arguments[0], Path(arguments[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "src").mkdir()
        shutil.copyfile(ROOT / "docs" / "book.toml", folder / "book.toml")
        stage(folder / "src")
        subprocess.run([program, "build", "--dest-dir", str(out), str(folder)], check=True)
    wrong = list(broken(out))
    sys.exit("\n".join(["links that lead nowhere:", *wrong]) if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
