"""Files: tables are read or refused with a line number; model files load without running anything."""

import gzip
import io
import json
import pickle
import zipfile
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import gnomon
from gnomon.io import ModelFileError, Table, TableError, UnwritableError, as_table, load, notes, read_table, save
from gnomon.io.cells import clean, counted
from gnomon.io.dates import date_forms
from gnomon.io.files import outbox
from gnomon.losses import LogisticLoss, SquaredLoss
from gnomon.penalties import L1


@pytest.fixture
def file(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def columns(table):
    return {name: table[name].tolist() for name in table.names}


WELL_FORMED = {
    "comma": ("a,b\n1,x\n2,y\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "semicolon": ("a;b\n1;x\n2;y\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "tab": ("a\tb\n1\tx\n2\ty\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "bar": ("a|b\n1|x\n2|y\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "byte order mark": ("\ufeffa,b\n1,x\n", {"a": ["1"], "b": ["x"]}),
    "windows lines": ("a,b\r\n1,x\r\n", {"a": ["1"], "b": ["x"]}),
    "no last line end": ("a,b\n1,x", {"a": ["1"], "b": ["x"]}),
    "quotes": ('a,b\n1,"x, ""y"""\n', {"a": ["1"], "b": ['x, "y"']}),
    "line end in quotes": ('a,b\n1,"x\ny"\n2,z\n', {"a": ["1", "2"], "b": ["x\ny", "z"]}),
    "empty lines": ("a,b\n\n1,x\n\n2,y\n\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "blanks": ("a , b\n 1 , x\n", {"a": ["1"], "b": ["x"]}),
    "missing": ("a,b\nNA,\n?,null\nNaN,None\n", {"a": [""] * 3, "b": [""] * 3}),
    "decimal comma": ("a;b\n1,5;x\n-2;y\n", {"a": ["1.5", "-2"], "b": ["x", "y"]}),
    "thousands": ('a,b\n"1,234.5",x\n7,y\n', {"a": ["1234.5", "7"], "b": ["x", "y"]}),
    "commas in words": ('a,b\n"Rome, Italy",x\n', {"a": ["Rome, Italy"], "b": ["x"]}),
    "one column": ("a\nx\ny\n", {"a": ["x", "y"]}),
    "nameless column": (",b\n1,x\n", {"column_1": ["1"], "b": ["x"]}),
}


@pytest.mark.parametrize("case", WELL_FORMED)
def test_well_formed_text_is_read(file, case):
    text, expected = WELL_FORMED[case]
    assert columns(read_table(file(text))) == expected


@pytest.mark.parametrize("case", WELL_FORMED)
def test_compression_changes_nothing(file, case):
    text, expected = WELL_FORMED[case]
    assert columns(read_table(file(gzip.compress(text.encode()), "data.csv.gz"))) == expected


ILL_FORMED = {
    "empty": ("", "the file is empty"),
    "only line ends": ("\n\n", "the file is empty"),
    "only a header": ("a,b\n", "a header but no rows"),
    "ragged": ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields where the first line has 2"),
    "ragged after a quoted line end": ('a,b\n"1\n1",2\n1\n', "line 4 has 1 fields"),
    "same name twice": ("a,b,a\n1,2,3\n", "more than once: a"),
    "no header": ("1,2\n3,4\n", "give --no-header"),
    "open quote": ('a,b\n1,"x\n2,y\n', "stray quotation mark"),
    "latin-1": ("a,b\n1,x\n2,caf\xe9\n".encode("latin-1"), "line 3: byte 0xe9 is no utf-8 text"),
    "workbook": (b"PK\x03\x04 and so on", "Excel workbook"),
    "unnamed gzip": (gzip.compress(b"a,b\n1,2\n"), r"\.csv\.gz"),
    "utf-16": ("a,b\n1,x\n".encode("utf-16"), "utf-16"),
}


@pytest.mark.parametrize("case", ILL_FORMED)
def test_ill_formed_text_is_refused_with_the_place_and_the_remedy(file, case):
    text, sentence = ILL_FORMED[case]
    path = file(text)
    with pytest.raises(TableError, match=sentence) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path))


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)


def test_a_cut_archive_is_refused(file):
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 10_000)
    with pytest.raises(TableError, match="damaged or cut short"):
        read_table(file(whole[:-20], "data.csv.gz"))


def test_options_of_reading(file):
    path = file("1:caf\xe9\n2:th\xe9\n".encode("latin-1"))
    table = read_table(path, delimiter=":", encoding="latin-1", header=False)
    assert columns(table) == {"column_1": ["1", "2"], "column_2": ["café", "thé"]}
    assert columns(read_table(file("a,b\n1,x\n".encode("utf-16")), encoding="utf-16")) == {"a": ["1"], "b": ["x"]}
    with pytest.raises(TableError, match="encoding 'nonsense' is unknown"):
        read_table(path, encoding="nonsense")


def test_thousands_of_columns_and_many_blocks_of_rows(file):
    names = [f"x{k}" for k in range(3000)]
    wide = read_table(file(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"))
    assert wide.names == tuple(names)
    long = read_table(file("a,b\n" + "".join(f"{i},{i % 7}\n" for i in range(45_000))))
    assert as_numbers(long["a"]).tolist() == list(range(45_000))


def test_parquet_has_the_types_of_its_columns(tmp_path):
    path = tmp_path / "data.parquet"
    content = {"n": [1, None, 3], "s": ["x", None, "?"], "b": [True, False, None], "d": [date(2020, 2, 1), None, None]}
    pa.parquet.write_table(pa.table(content), path)
    table = read_table(path)
    np.testing.assert_array_equal(table["n"], [1.0, np.nan, 3.0])
    assert table["s"].tolist() == ["x", "", ""]
    assert table["b"].tolist() == ["true", "false", ""]
    assert table["d"].tolist() == [datetime(2020, 2, 1), None, None]


def test_parquet_that_is_none_or_nested_is_refused(tmp_path, file):
    with pytest.raises(TableError, match="no readable Parquet"):
        read_table(file("a,b\n1,2\n", "data.parquet"))
    pa.parquet.write_table(pa.table({"lists": [[1], [2, 3]]}), tmp_path / "nested.parquet")
    with pytest.raises(TableError, match="'lists' holds List"):
        read_table(tmp_path / "nested.parquet")


def test_without_pyarrow_the_message_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(TableError, match=r"gnomon\[scale\]"):
        read_table(file("", "data.parquet"))


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table, "dict": dict}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_gives_the_same_table(kind):
    when = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    content = {"n": [1.5, float("nan")], "s": ["x", None], "b": [True, False], "t": [when, when]}
    table = as_table(FRAMES[kind](content))
    np.testing.assert_array_equal(table["n"], [1.5, np.nan])
    assert table["s"].tolist() == ["x", ""]
    assert table["b"].tolist() == ["true", "false"]
    assert str(table["t"][0])[:10] == "2020-01-02"


def test_what_is_no_table_is_refused():
    with pytest.raises(TableError, match="int is no table"):
        as_table(3)
    with pytest.raises(TableError, match="no column 'c'; the columns are: a"):
        Table({"a": [1.0]})["c"]


def test_cells_that_are_numbers():
    text = clean(["1", "-2.5", "1e3", "", "inf", "1_000", "x"])
    np.testing.assert_array_equal(as_numbers(text), [1, -2.5, 1000, np.nan, np.nan, np.nan, np.nan])


DATES = {
    "iso": (["2024-03-01", "2023-12-31"], "iso"),
    "iso with time": (["2024-03-01T10:00:00Z", "2024-03-01 11:30"], "iso"),
    "dots": (["1.3.2024", "31.12.2023"], "%d.%m.%Y"),
    "day first": (["13/01/2024", "01/02/2024"], "%d/%m/%Y"),
    "month first": (["01/13/2024", "02/01/2024"], "%m/%d/%Y"),
    "undecided": (["01/02/2024", "03/04/2024"], None),
    "words": (["yesterday", "2024-03-01"], None),
    "one bad": (["2024-03-01", "2024-13-01"], None),
}


@pytest.mark.parametrize("case", DATES)
def test_dates_have_one_form_or_are_none(case):
    cells, form = DATES[case]
    assert date_format(clean(cells)) == form
    if form:
        assert not np.isnat(parse_dates(clean(cells), form)).any()


def test_files_appear_together_or_not_at_all(tmp_path):
    folder = tmp_path / "new" / "folder"
    with pytest.raises(RuntimeError), outbox(folder) as place:  # noqa: PT012
        place("one").write_text("1")
        place("two").write_text("2")
        raise RuntimeError
    assert not (tmp_path / "new").exists()
    with outbox(folder) as place:
        place("one").write_text("1")
        place("two").write_text("2")
        assert not (folder / "one").exists()
    assert sorted(p.name for p in folder.iterdir()) == ["one", "two"]


def test_a_failure_leaves_the_files_of_an_earlier_run_alone(tmp_path):
    (tmp_path / "one").write_text("old")
    with pytest.raises(RuntimeError), outbox(tmp_path) as place:  # noqa: PT012
        place("one").write_text("new")
        raise RuntimeError
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("one", "old")]


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableError, match="cannot make the folder"), outbox(tmp_path / "file" / "sub"):
        pytest.fail("the work began")


rng = np.random.default_rng(0)
X = rng.normal(size=(50, 3))
y = np.where(X[:, 0] > 0, "up", "down")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.skops"
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    save(model, path, target="direction")
    return path, model


def test_a_model_comes_back_as_it_was(saved):
    path, model = saved
    np.testing.assert_array_equal(load(path).predict_proba(X), model.predict_proba(X))
    assert notes(path) == {"gnomon": gnomon.__version__, "target": "direction"}
    assert [p.name for p in path.parent.iterdir()] == ["model.skops"]


NOUNS = [LogisticLoss(), SquaredLoss(half=True), L1(0.25)]


@pytest.mark.parametrize("noun", NOUNS, ids=repr)
def test_nouns_come_back_equal(tmp_path, noun):
    save({"noun": noun}, tmp_path / "noun.skops")
    assert load(tmp_path / "noun.skops") == {"noun": noun}


def rewritten(path, member, change):
    """`path` with one member of the archive changed."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content[member] = change(content[member])
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in content.items():
            if value is not None:
                archive.writestr(name, value)
    return path


class Bomb:
    def __reduce__(self):
        return (exec, ("import test_io_bomb_went_off",))


FOREIGN = {
    "text": (b"hello", "no zip archive"),
    "empty": (b"", "no zip archive"),
    "pickle": (pickle.dumps({"a": 1}), "no zip archive"),
    "pickle that bites": (pickle.dumps(Bomb()), "no zip archive"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_foreign_file_is_refused(file, case):
    content, sentence = FOREIGN[case]
    with pytest.raises(ModelFileError, match=sentence):
        load(file(content, "model.skops"))


def test_an_archive_of_someone_else_is_refused(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="was not written by gnomon"):
        load(path)


@pytest.mark.parametrize("member", ["schema.json", "gnomon.json"])
@pytest.mark.parametrize("change", [lambda old: b"", lambda old: b"[]", lambda old: old[: len(old) // 2]])
def test_a_damaged_description_is_refused(saved, member, change):
    path, _ = saved
    with pytest.raises(ModelFileError, match="damaged"):
        load(rewritten(path, member, change))


def test_changed_bytes_are_noticed(saved):
    path, _ = saved
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(ModelFileError):
        load(path)


def test_a_lost_array_is_an_error_not_a_crash(saved):
    path, _ = saved
    with zipfile.ZipFile(path) as archive:
        array = next(name for name in archive.namelist() if name.endswith(".npy"))
    with pytest.raises(ModelFileError):
        load(rewritten(path, array, lambda old: None))


@pytest.mark.parametrize(
    "name",
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("subprocess", "Popen"),
        ("gnomon._registry", "register"),
        ("gnomon._registry", "discover"),
        ("gnomon._jit._nouns", "_record_named"),
        ("gnomon.io.models", "skops"),
        ("gnomon.cli", "main"),
        ("gnomon.absent", "Thing"),
    ],
)
@pytest.mark.parametrize("loader", ["ObjectNode", "ConstructorFromReduceNode", "TypeNode", "FunctionNode"])
def test_names_that_are_no_estimators_or_nouns_are_refused(saved, name, loader):
    """Whatever loader the file claims, only classes of gnomon that are estimators, nouns or results may be built."""
    module, cls = name
    node = {"__class__": cls, "__module__": module, "__loader__": loader}

    def change(old):
        schema = json.loads(old)
        schema.update(node, content={**schema["content"]} if loader == "ObjectNode" else _arguments())
        return json.dumps(schema).encode()

    path, _ = saved
    with pytest.raises(ModelFileError, match=f"types that are not loaded: .*{cls}"):
        load(rewritten(path, "schema.json", change))


def _arguments():
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": '"x"', "is_json": True}
    return {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": [text]}


class Stranger(BaseEstimator):
    pass


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="Stranger"):
        save(Stranger(), tmp_path / "model.skops")
    with pytest.raises(ModelFileError, match=r"io\.open|_io\.open|open"):
        save(FunctionTransformer(io.open), tmp_path / "model.skops")
    assert list(tmp_path.iterdir()) == []


def test_another_version_is_a_warning(saved):
    path, _ = saved
    with pytest.warns(UserWarning, match=r"saved by gnomon 9\.9\.0"):
        load(rewritten(path, "gnomon.json", lambda old: b'{"gnomon": "9.9.0"}'))
