"""Files that are written: links stay, devices and pipes get their bytes, nothing else is replaced, nothing is left."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from gnomon.base.files import whole_file, write_text
from gnomon.gp import BayesianOptimizer, Real
from gnomon.gp._checkpoint import SearchFile
from gnomon.io import UnwritableError, load, save
from gnomon.io.files import outbox, outfile
from gnomon.neural import MLPRegressor
from gnomon.report import study_files

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="links and pipes are others there"),
    pytest.mark.filterwarnings("ignore:not converged"),
]

X = np.random.default_rng(0).normal(size=(60, 1))
MODEL = LinearRegression().fit(X, X[:, 0])
STUDY = SimpleNamespace(source=SimpleNamespace(name="x.csv", digest=""), table=None)


def in_outbox(path):
    with outbox(path.parent) as place:
        place(path.name).write_text("new")


def optimizer(path):
    BayesianOptimizer({"x": Real(0.0, 1.0)}, random_state=0).save(path)


WRITERS = {
    "a model": lambda path: save(MODEL, path),
    "the page of a study": lambda path: study_files.write_study_page(STUDY, path),
    "a file of a folder": in_outbox,
    "a text": lambda path: write_text(path, "new"),
    "an optimiser": optimizer,
    "a search": lambda path: SearchFile(path, {}).write({}, []),
    "a training": lambda path: MLPRegressor(hidden_layer_sizes=(2,), max_iter=2, checkpoint=path).fit(X, X[:, 0]),
}
each_writer = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(study_files, "page", lambda *given, **named: "new")
    return tmp_path


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@each_writer
@pytest.mark.parametrize("steps", [1, 2])
def test_what_a_link_leads_to_is_written_and_the_link_stays(folder, write, steps):
    target = folder / "there" / "target"
    (folder / "here" / "one").symlink_to("../there/target")
    (folder / "here" / "two").symlink_to("one")
    path = folder / "here" / ["one", "two"][steps - 1]
    write(path)
    assert target.stat().st_size > 0
    assert names(folder) == ["here/one", "here/two", "there/target"]
    assert path.is_symlink()


@each_writer
def test_a_loop_of_links_is_refused(folder, write):
    path = folder / "here" / "loop"
    path.symlink_to("loop")
    with pytest.raises((OSError, UnwritableError), match="symbolic links"):
        write(path)
    assert names(folder) == ["here/loop"]


@each_writer
def test_a_folder_of_the_name_stays(folder, write):
    with pytest.raises((OSError, ValueError)):
        write(folder / "there")
    assert names(folder) == []
    assert (folder / "there").is_dir()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_permissions_of_a_file_stay(folder, mode):
    path = folder / "model.skops"
    path.touch()
    path.chmod(mode)
    save(MODEL, path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_is_protected_stays(folder):
    path = folder / "mine"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(UnwritableError, match="protected"):
        save(MODEL, path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("write", [in_outbox, lambda path: save(MODEL, path)])
def test_the_reader_of_a_pipe_gets_the_bytes_and_the_pipe_stays(folder, write):
    pipe, copy = folder / "here" / "pipe", folder / "copy"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(folder) == ["copy", "here/pipe"]
    assert copy.read_text() == "new" if write is in_outbox else load(copy).coef_ == MODEL.coef_


def made_node(path, kind, major, minor):
    try:
        os.mknod(path, 0o666 | kind, os.makedev(major, minor))
        with open(path, "wb"):
            pass
    except OSError:
        pytest.skip("nodes of devices cannot be made or opened here")


@each_writer
def test_a_device_stays_and_swallows_what_it_is_given(folder, write, monkeypatch):
    # What is to be poured waits in the folder of temporary files, where nothing of it may be left.
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    path = folder / "here" / "null"
    made_node(path, stat.S_IFCHR, 1, 3)
    if write is WRITERS["a training"]:
        with pytest.raises(ValueError, match="no file of a training"):
            write(path)
    else:
        write(path)
    assert stat.S_ISCHR(path.stat().st_mode)
    assert names(folder) == ["here/null"]


def test_a_device_that_is_full_is_an_error_in_words(folder):
    path = folder / "here" / "full"
    made_node(path, stat.S_IFCHR, 1, 7)
    with pytest.raises(UnwritableError, match="no space left"):
        save(MODEL, path)


def test_a_socket_is_refused(folder):
    with socket.socket(socket.AF_UNIX) as place:
        place.bind("socket")
        with pytest.raises(UnwritableError, match="is a socket"):
            save(MODEL, "socket")
    assert stat.S_ISSOCK(os.stat("socket").st_mode)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors have other names there")
@pytest.mark.parametrize("end", ["pipe", "file"])
def test_a_link_to_the_standard_output_goes_on_where_that_stands(folder, end):
    (folder / "stdout").symlink_to("/proc/self/fd/1")
    text = (
        "import sys; from gnomon.base.files import whole_file\n"
        "sys.stdout.write('before '); sys.stdout.flush()\n"
        f"with whole_file({str(folder / 'stdout')!r}) as part: part.write_text('between ')\n"
        "sys.stdout.write('after')\n"
    )
    command = [sys.executable, "-c", text]
    if end == "pipe":
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "before between after"
        return
    with open(folder / "file", "w") as sink:
        subprocess.run(command, stdout=sink, check=True)
    assert (folder / "file").read_text() == "before between after"
    assert (folder / "stdout").is_symlink()


def test_nothing_is_left_of_a_failure_nor_of_a_process_that_was_killed_long_ago(folder):
    left = folder / ".a.csv.0123abcd.part", folder / ".a.csv.89abcdef.part", folder / ".a.csv.mine.part"
    for path in left:
        path.touch()
    for path in left[::2]:
        os.utime(path, (0, time.time() - 100_000))
    with pytest.raises(RuntimeError), outfile(folder / "a.csv") as part:  # noqa: PT012
        part.write_text("new")
        raise RuntimeError
    assert names(folder) == [left[1].name, left[2].name]


def test_folders_appear_only_with_their_files(folder):
    with outbox(folder / "out" / "deep") as place:
        assert not (folder / "out").exists()
        place("a").write_text("new")
    assert names(folder) == ["out/deep/a"]


def test_a_name_as_long_as_the_file_system_allows(folder):
    with whole_file(folder / ("é" * 120)) as part:
        part.write_text("new")
    assert names(folder) == ["é" * 120]
