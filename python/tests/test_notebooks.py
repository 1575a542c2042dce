"""Every cell of the notebooks runs, and what they assert holds."""

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def test_there_are_some():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_every_cell_runs(file, tmp_path):
    needed = "notebooks run with nbclient and ipykernel: pip install 'pathqp[test]'"
    nbformat = pytest.importorskip("nbformat", reason=needed)
    nbclient = pytest.importorskip("nbclient", reason=needed)
    pytest.importorskip("ipykernel", reason=needed)
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    # As they are kept: without results, which would be those of another version.
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
