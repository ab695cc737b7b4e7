"""Build a wheel that carries compiled kernels, so that the first call of an estimator compiles nothing.

    python tools/compiled_wheel.py [--out dist] [--jobs 2] [--only WORD ...]

1. The pure wheel is built; it is the fallback for every other platform, and stays in the folder.
2. Its kernels are compiled in a copy of it, as `gnomon warmup` does, for processors of the level x86-64-v3 (or for any,
   on other architectures).
3. They are put into the copy, as data of the package, and the copy is packed again with the tags of this platform.

A kernel is found by the content of what it is made of, by the version of Numba and of Python: in another environment,
or on an older processor, the kernels of the wheel are never read and kernels are compiled at first use.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROCESSOR = "x86-64-v3" if platform.machine() in ("x86_64", "AMD64") else "generic"


def build(out: Path, jobs: int, only: list[str]) -> Path:
    """The path of the compiled wheel."""
    with tempfile.TemporaryDirectory() as folder:
        pure = _pure_wheel(out, Path(folder))
        _run("wheel", "unpack", "--dest", folder, str(pure))
        (package,) = Path(folder).glob("gnomon-*/gnomon")
        kernels = _kernels(package.parent, Path(folder) / "cache", jobs, only)
        shutil.copytree(kernels, package / "_kernels", ignore=shutil.ignore_patterns("swept"))
        _run("wheel", "pack", "--dest-dir", folder, str(package.parent))
        (whole,) = Path(folder).glob("gnomon-*.whl")
        tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        _run("wheel", "tags", "--remove", "--python-tag", tag, "--abi-tag", tag, "--platform-tag", system, str(whole))
        (named,) = Path(folder).glob("gnomon-*.whl")
        return Path(shutil.copy(named, out))


def _pure_wheel(out: Path, folder: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    # From a copy of the sources: setuptools would leave its folders in the checkout and take old files from them.
    copy = folder / "sources"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    _run("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(copy))
    (wheel,) = folder.glob("gnomon-*-none-any.whl")
    shutil.copy(wheel, out)
    return wheel.rename(folder / "sources" / wheel.name)


def _kernels(package: Path, cache: Path, jobs: int, only: list[str]) -> Path:
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_CPU_NAME": PROCESSOR,
        "NUMBA_CPU_FEATURES": "",
    }
    _run("gnomon", "warmup", "--jobs", str(jobs), *only, env=environment)
    return cache / "gnomon"


def _run(*module: str, env: dict[str, str] | None = None) -> None:
    subprocess.run([sys.executable, "-m", *module], check=True, env=env)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where wheels go")
    parser.add_argument("--jobs", type=int, default=2, help="processes that compile")
    parser.add_argument("--only", nargs="*", default=[], help="words of the groups of kernels; default: all")
    options = parser.parse_args()
    print(build(options.out, options.jobs, options.only))
