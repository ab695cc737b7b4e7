"""Files: tables are read or refused with a line number; model files load without running anything."""

import csv
import gzip
import io
import json
import pickle
import tracemalloc
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

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
from gnomon.io.files import outbox
from gnomon.io.numbers import as_numbers
from gnomon.losses import LogisticLoss, SquaredLoss
from gnomon.penalties import L1
from gnomon.report._checks import check_names


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
    "two byte order marks": ("\ufeff\ufeffa,b\n1,x\n", {"a": ["1"], "b": ["x"]}),
    "windows lines": ("a,b\r\n1,x\r\n", {"a": ["1"], "b": ["x"]}),
    "no last line end": ("a,b\n1,x", {"a": ["1"], "b": ["x"]}),
    "quotes": ('a,b\n1,"x, ""y"""\n', {"a": ["1"], "b": ['x, "y"']}),
    "line end in quotes": ('a,b\n1,"x\ny"\n2,z\n', {"a": ["1", "2"], "b": ["x\ny", "z"]}),
    "empty lines": ("a,b\n\n1,x\n\n2,y\n\n", {"a": ["1", "2"], "b": ["x", "y"]}),
    "blanks": ("a , b\n 1 , x\n", {"a": ["1"], "b": ["x"]}),
    "missing": ("a,b\nNA,\n?,null\nNaN,None\n", {"a": [""] * 3, "b": [""] * 3}),
    "numbers as they are written": ("a;b\n1,5;x\n-2;y\n", {"a": ["1,5", "-2"], "b": ["x", "y"]}),
    "commas in words": ('a,b\n"Rome, Italy",x\n', {"a": ["Rome, Italy"], "b": ["x"]}),
    "one column": ("a\nx\ny\n", {"a": ["x", "y"]}),
    "nameless column": (",b\n1,x\n", {"column_1": ["1"], "b": ["x"]}),
    "markers of a spreadsheet": ("a,b\n#DIV/0!,na\n<NA>,n/a\n", {"a": [""] * 2, "b": [""] * 2}),
    "names of rows": ('a,b\n"1",5,x\n"2",6,y\n', {"rownames": ["1", "2"], "a": ["5", "6"], "b": ["x", "y"]}),
    "a delimiter at the end of rows": ("a,b\n5,x,\n6,y,\n", {"a": ["5", "6"], "b": ["x", "y"]}),
    "blanks between": (
        '"a" "b"\n"1" 5.1 3.5\n"2" 4.9  3\n',
        {"rownames": ["1", "2"], "a": ["5.1", "4.9"], "b": ["3.5", "3"]},
    ),
    "a sentence in each row": ("says\nno comma here\nnor over there\n", {"says": ["no comma here", "nor over there"]}),
    "quotes inside text": (
        'a\tb\nx\t"Gimme" he said\ny\t5" nails\n',
        {"a": ["x", "y"], "b": ['"Gimme" he said', '5" nails']},
    ),
    "two lone quotes": (
        'a\tb\nx\t"open\ny\tmiddle\nz\tclose"\n',
        {"a": list("xyz"), "b": ['"open', "middle", 'close"']},
    ),
    "quotes after a backslash": ('a,b\n1,"x, \\"y\\""\n', {"a": ["1"], "b": ['x, "y"']}),
    "names that are numbers": ("0,1,2,3,4\n5,3,9,1,7\n", {"0": ["5"], "1": ["3"], "2": ["9"], "3": ["1"], "4": ["7"]}),
    "years as names": ("x,2019,2020\na,5,6\n", {"x": ["a"], "2019": ["5"], "2020": ["6"]}),
    "a name that is a level elsewhere": ("a,b\nb,1\nc,2\n", {"a": ["b", "c"], "b": ["1", "2"]}),
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
    "no header, same number twice": (
        "1,4,x,4\n3,4,y,1\n1,2,x,5\n",
        r"seems to be data.*--no-header.*column_1 to column_4",
    ),
    "no header, levels only": ("a,b\nb,b\na,b\n", "'a', 'b' are like the cells below; give --no-header"),
    "no header, units and dates": (
        "3 kg,2020-01-05\n4 kg,2020-01-06\n5 kg,2020-01-07\n6 kg,2020-01-08\n",
        "--no-header",
    ),
    "no header, gaps": ("1,?,2.5\n3,4,\n", "give --no-header"),
    "open quote": ('a,b\n1,"x\n2,y,z\n', "stray quotation mark"),
    "latin-1": ("a,b\n1,x\n2,caf\xe9\n".encode("latin-1"), "line 3: byte 0xe9 is no utf-8 text"),
    "workbook": (b"PK\x03\x04 and so on", "Excel workbook"),
    "utf-16 without a mark": ("a,b\n1,x\n".encode("utf-16-le"), "give --encoding utf-16-le"),
    "utf-32 without a mark": ("a,b\n1,x\n".encode("utf-32-be"), "give --encoding utf-32-be"),
    "bzip2": (b"BZh91AY", "unpack it first"),
}


@pytest.mark.parametrize("case", ILL_FORMED)
def test_ill_formed_text_is_refused_with_the_place_and_the_remedy(file, case):
    text, sentence = ILL_FORMED[case]
    path = file(text)
    with pytest.raises(TableError, match=sentence) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_byte_order_mark_and_compression_are_found_in_the_content(file, encoding, pack):
    content = pack("a,b\n1,é\n".encode(encoding))
    assert columns(read_table(file(content))) == {"a": ["1"], "b": ["é"]}
    assert columns(read_table(io.BytesIO(content))) == {"a": ["1"], "b": ["é"]}
    with pytest.raises(TableError, match="standard input: the file is empty"):
        read_table(io.BytesIO(pack(b"")))


ODD_OPTIONS = {
    "two delimiters": ({"delimiter": ";;"}, "delimiter ';;' cannot separate fields; give one character"),
    "no delimiter": ({"delimiter": ""}, "give one character"),
    "quote as delimiter": ({"delimiter": '"'}, "give one character"),
    "line end as delimiter": ({"delimiter": "\n"}, "give one character"),
    **{
        f"encoding {name}": ({"encoding": name}, f"encoding '{name}' is")
        for name in ("base64", "rot13", "hex", "zip", "nonsense", "idna", "punycode", "undefined", "", "utf-8\0")
    },
}


@pytest.mark.parametrize("case", ODD_OPTIONS)
def test_odd_options_of_reading_are_refused(file, case):
    options, sentence = ODD_OPTIONS[case]
    with pytest.raises(TableError, match=sentence.replace("\0", ".*")):
        read_table(file("a;;b\n1;;x\n"), **options)


def test_further_markers_are_missing(file):
    table = read_table(file("a,b\n-9,x\n3,none given\n"), missing=["-9", "none given"])
    assert columns(table) == {"a": ["", "3"], "b": ["x", ""]}


def test_the_user_may_insist_on_a_header(file):
    path = file("1,2\n3,4\n")
    assert columns(read_table(path, header=True)) == {"1": ["3"], "2": ["4"]}
    assert columns(read_table(path, header=False)) == {"column_1": ["1", "3"], "column_2": ["2", "4"]}


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


def test_cells_and_headers_may_have_any_length(file):
    limit = csv.field_size_limit()
    names = [f"measurement_{k:05}" for k in range(9_000)]
    wide = read_table(file(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"))
    assert wide.names == tuple(names)
    long = "word " * 40_000
    assert read_table(file(f"a,{long}\n1,{long}\n")).names == ("a", long.strip())
    assert csv.field_size_limit() == limit


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


def test_parquet_keeps_what_floats_and_calendars_cannot_hold(tmp_path):
    content = {
        "lists": pa.array([[1], None, [2, 3]]),
        "records": pa.array([{"a": 1}, {"a": 2}, None]),
        "large": pa.array([2**53 + 1, None, 5]),
        "unsigned": pa.array([2**64 - 1, 0, 1], pa.uint64()),
        "far": pa.array([3_000_000, None, -800_000], pa.date32()),
        "moment": pa.array([10**15, None, 0], pa.timestamp("ms")),
        "lapse": pa.array([1500, None, 0], pa.duration("ms")),
        "exact": pa.array([Decimal("1.25"), None, Decimal("-3.00")]),
    }
    pa.parquet.write_table(pa.table(content), tmp_path / "data.parquet")
    table = read_table(tmp_path / "data.parquet")
    assert table["lists"].tolist() == ["[1]", "", "[2, 3]"]
    assert table["records"].tolist() == ['{"a": 1}', '{"a": 2}', ""]
    assert table["large"].tolist() == ["9007199254740993", "", "5"]
    assert table["unsigned"].tolist() == ["18446744073709551615", "0", "1"]
    assert [str(day)[:6] for day in table["far"]] == ["10183-", "NaT", "-221-0"]
    assert str(table["moment"][0]).startswith("33658-09")
    np.testing.assert_array_equal(table["lapse"], [1.5, np.nan, 0.0])
    np.testing.assert_array_equal(table["exact"], [1.25, np.nan, -3.0])


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame], ids=["dict", "pandas", "polars"])
def test_whole_numbers_beyond_floats_keep_their_digits(make):
    assert as_table(make({"n": [2**53 + 1, 1]}))["n"].tolist() == ["9007199254740993", "1"]
    assert as_table(make({"n": [-(2**63), 1]}))["n"].tolist() == ["-9223372036854775808", "1"]
    assert as_table(make({"n": [2**53, 1]}))["n"].tolist() == [2.0**53, 1.0]


def test_a_damaged_parquet_file_is_refused(file):
    with pytest.raises(TableError, match="no readable Parquet"):
        read_table(file("PAR1 and nothing else", "data.parquet"))


def test_without_pyarrow_the_message_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"reading Parquet needs pyarrow; .* 'gnomon\[frames\]'"):
        read_table(file("PAR1", "data.parquet"))


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


BOMBS = {
    "deep notes": ("gnomon.json", lambda: b"[" * 100_000, "damaged"),
    "notes of no kind": ("gnomon.json", lambda: b"7", "damaged"),
    "huge notes": ("gnomon.json", lambda: b'{"gnomon": "1", "x": [' + b"[]," * 4_000_000 + b"[]]}", "would unpack to"),
    "deep description": ("schema.json", lambda: b"[" * 100_000, "damaged"),
    "huge description": ("schema.json", lambda: bytes(110_000_000), "would unpack to"),
    "huge array": ("0.npy", lambda: bytes(110_000_000), "would unpack to"),
}


@pytest.mark.parametrize("case", BOMBS)
def test_what_was_edited_to_burst_is_refused_within_bounds(saved, case):
    """Whatever the archive would unpack to, what is read of it stays within the bounds of a model file."""
    member, content, sentence = BOMBS[case]
    path, _ = saved
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if name != member}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, value in {**kept, member: content()}.items():
            archive.writestr(name, value)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=sentence):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_notes_that_could_not_be_read_again_are_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="at most"):
        save(StandardScaler(), tmp_path / "model.skops", story="x" * 9_000_000)
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.parametrize("values", [[], [None, None]], ids=["no rows", "all missing"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_whole_numbers_of_which_none_is_known(frame, values):
    column = pd.array(values, dtype="Int64") if frame is pd.DataFrame else pl.Series(values, dtype=pl.Int64)
    found = as_table(frame({"a": column}))["a"]
    assert found.dtype == float
    assert np.isnan(found).tolist() == [True] * len(values)


def test_names_of_rows_are_told_and_are_no_data(file):
    text = "month,level\n1958-03,1958.2,315.7\n1958-04,1958.3,317.5\n"
    table = read_table(file(text))
    assert table.names == ("rownames", "month", "level")
    (found,) = check_names(table)
    assert check_names(table.take([1])) == check_names(table.replace("month", [1.0, 2.0])) == [found]
    assert "called rownames, and the second month. If month is" in found.text
    assert check_names(read_table(file("rownames,a\n1,2\n3,4\n"))) == []
    with pytest.raises(TableError, match="line 1 has 2 fields where line 2 has 3"):
        read_table(file(text), header=False)
