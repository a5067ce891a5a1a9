"""The benchmark's picture. Runs where matplotlib is installed, which the extra `train` brings."""

from test_benchmarks import ROOT, SCRIPT, WITHOUT_PEERS, run, save

PICTURE = ROOT / "docs" / "performance.svg"


def test_plot(tmp_path):
    saved = save(tmp_path)
    for name in ("a.svg", "b.svg"):
        run(SCRIPT, "--from-json", saved[0], "--plot", tmp_path / name)
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn == (tmp_path / "b.svg").read_text()
    assert "<dc:date>" not in drawn
    assert "#d55e00" in drawn
    assert "no rows to draw" in run(SCRIPT, "--from-json", saved[1], "--plot", tmp_path / "c.svg", status=2)


def test_plot_without_matplotlib(tmp_path):
    saved = save(tmp_path)
    code = WITHOUT_PEERS.replace('("pyspiel"', '("matplotlib", "pyspiel"')
    assert "pip install matplotlib" in run("-c", code, "--from-json", saved[0], "--plot", tmp_path / "a.svg", status=2)


def test_the_picture_shows_what_is_kept_beside_it(tmp_path):
    run(SCRIPT, "--from-json", ROOT / "docs" / "performance.json", "--plot", tmp_path / "performance.svg")
    assert (tmp_path / "performance.svg").read_text() == PICTURE.read_text()
