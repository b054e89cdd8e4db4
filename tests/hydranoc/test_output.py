"""Result folders: all files or none."""

import pytest

from hydranoc.errors import ConfigError
from hydranoc.reports import output
from hydranoc.reports.output import result_folder


def _fail_in(folder):
    with result_folder(folder) as scratch:
        (scratch / "one.txt").write_text("half")
        raise RuntimeError


def test_files_appear_together_at_the_end(tmp_path):
    folder = tmp_path / "a" / "b"
    with result_folder(folder) as scratch:
        (scratch / "one.txt").write_text("1")
        assert not (folder / "one.txt").exists()
        (scratch / "deep").mkdir()
        (scratch / "deep" / "two.txt").write_text("2")
    assert sorted(path.name for path in folder.rglob("*")) == ["deep", "one.txt", "two.txt"]


def test_after_an_error_everything_is_as_it_was(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "one.txt").write_text("old")
    for folder in (kept, tmp_path / "new" / "newer"):
        with pytest.raises(RuntimeError):
            _fail_in(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "one.txt"]
    assert (kept / "one.txt").read_text() == "old"


def test_a_result_replaces_an_older_one(tmp_path):
    for text in ("old", "new"):
        with result_folder(tmp_path) as scratch:
            (scratch / "one.txt").write_text(text)
    assert (tmp_path / "one.txt").read_text() == "new"


def test_what_only_an_earlier_run_had_goes_with_the_next_one(tmp_path):
    with result_folder(tmp_path, stale=["mismatch.txt"]) as scratch:
        (scratch / "mismatch.txt").write_text("different")
    assert (tmp_path / "mismatch.txt").exists()
    with result_folder(tmp_path, stale=["mismatch.txt"]) as scratch:
        (scratch / "one.txt").write_text("1")
    assert [path.name for path in tmp_path.iterdir()] == ["one.txt"]


@pytest.mark.parametrize("folder", ["taken", "taken/below", "/proc/missing"])
def test_a_folder_that_cannot_be_written_is_noticed_first(tmp_path, folder):
    (tmp_path / "taken").write_text("")
    worked = []
    with pytest.raises(ConfigError, match="cannot write results: "), result_folder(tmp_path / folder):
        worked.append(1)
    assert not worked


def test_a_file_in_the_way_of_a_result_is_noticed(tmp_path):
    (tmp_path / "one.txt").mkdir()
    with pytest.raises(ConfigError, match="cannot write results: is a directory"), result_folder(tmp_path) as scratch:
        (scratch / "one.txt").write_text("1")


@pytest.mark.parametrize("name", ["_remove_leftovers", "Path"])
def test_an_interrupt_before_the_work_begins_leaves_nothing(name, tmp_path, monkeypatch):
    def interrupted(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(output, name, interrupted)
    with pytest.raises(KeyboardInterrupt), result_folder(tmp_path / "new" / "out"):
        pass
    assert list(tmp_path.iterdir()) == []
