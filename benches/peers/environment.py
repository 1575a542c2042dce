"""The virtual environment of a comparison."""

import subprocess
import sys
import venv


def python_in(folder, requirements):
    """The Python of a virtual environment in a folder that holds what a requirements file lists; made when the list has changed."""
    python, done = folder / "bin" / "python", folder / "requirements.txt"
    wanted = requirements.read_text()
    if not done.exists() or done.read_text() != wanted:
        print(f"making {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements], check=True)
        done.write_text(wanted)
    return str(python)
