"""The private names of Numba that this package uses, all of them, and what is done where one is missing.

With them, kernels are kept in `gnomon._jit.kernel_cache`, subroutines are compiled as parts of their callers, and
reference counting can be left out. Numba promises none of these names: where a release lacks one (`MISSING` tells
which), kernels are compiled by its public options alone. Results are the same; compilation takes longer, and nothing
is kept.
"""

from __future__ import annotations

import functools
import gc
import pickle
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba import config
from numba.core import types
from numba.core.errors import TypingError

from gnomon._jit import kernel_cache
from gnomon._jit._sources import digest, stamp
from gnomon._jit._verbs import refuse_field

__all__ = ["MISSING", "PART", "at_least_v3", "flags", "kept", "one_for_all_literals", "refuse_kernels"]

_NAMES = {
    "numba.core.codegen.JITCodeLibrary": ("_optimize_final_module", "_finalize_final_module", "_ensure_finalized"),
    "numba.core.codegen.JITCPUCodegen": ("magic_tuple",),
    "numba.core.compiler.Compiler": (),
    "numba.core.compiler.CompileResult": ("_reduce", "_rebuild"),
    "numba.core.dispatcher.Dispatcher": ("get_call_template", "enable_caching"),
    "numba.core.serialize.dumps": (),
    "numba.core.targetconfig.Option": (),
    "numba.core.options.DefaultOptions": (),
}


def _missing() -> list[str]:
    found = []
    for path, names in _NAMES.items():
        module, _, name = path.rpartition(".")
        try:
            holder = getattr(import_module(module), name)
        except (ImportError, AttributeError):
            found.append(path)
        else:
            found += [f"{path}.{verb}" for verb in names if verb not in dir(holder)]
    return found


MISSING = _missing()
"""Names that this release of Numba does not have; empty for the releases that are known."""


def flags(fastmath: bool | set[str], counting: bool) -> dict[str, Any]:
    """Options of compiled functions; `counting`: whether references to arrays are counted.

    Every flag is said: what is not said Numba takes from whichever caller compiles the function first, and caches it.
    """
    said: dict[str, Any] = {"error_model": "numpy", "fastmath": fastmath, "forceinline": False}
    return said if MISSING else {**said, "_nrt": counting, "no_cfunc_wrapper": True}


if MISSING:
    PART: dict[str, Any] = {}
else:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, CompileResult
    from numba.core.serialize import dumps

    class _Part(JITCodeLibrary):
        """Code of which the callers are kernels: it goes into each of theirs and is optimised there.

        Numba optimises and assembles every kernel together with all that it calls, so that what lies n calls deep is
        compiled n times. A part is not compiled on its own, has no machine code and hence no environment in which to
        run.
        """

        codegen = type("NoEnvironment", (), {"set_env": lambda self, name, environment: None})()

        def _optimize_final_module(self):
            pass

        def _finalize_final_module(self):
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, name):
            self._ensure_finalized()
            return 0

    class _PartCompiler(Compiler):
        def __init__(self, typingctx, targetctx, library, *rest):
            super().__init__(typingctx, targetctx, library or _Part(targetctx.codegen(), "part"), *rest)

    # A part would learn whether to be inlined from its first caller, and tell it to all that it calls.
    PART = {
        "pipeline_class": _PartCompiler,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": False,
    }


def one_for_all_literals(kernel: Any) -> Any:
    """Let `kernel` be compiled once for all numbers of a type: by itself it is for each in the text of callers."""
    if not MISSING:
        template = kernel.get_call_template
        kernel.get_call_template = lambda args, kws: template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
        )
    return kernel


def refuse_kernels(kernel: Any) -> Any:
    """Let nothing but Python call `kernel`: other kernels would need its bitcode, which is not kept."""
    name = kernel.py_func.__name__

    def refused(args: Any, kws: Any) -> Any:
        raise TypingError(f"{name} is called by Python alone; make it a kernel by jit or jit_no_alloc")

    if not MISSING:
        kernel.get_call_template = refused
    return kernel


def kept(kernel: Any, *, linked: bool = True) -> Any:
    """Let the machine code of `kernel` be read from disk, and be written there; if `linked`, its bitcode too."""
    if not MISSING:
        kernel._cache = _Cache(kernel.py_func, linked)
        kernel.compile = _without_collection(kernel.compile)
    return kernel


def _without_collection(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, during which no garbage is collected: a compiler makes many objects that live until its end."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if not gc.isenabled():
            return function(*arguments)
        gc.disable()
        try:
            return function(*arguments)
        finally:
            gc.enable()

    return call


class _Cache:
    """What Numba asks before it compiles a kernel, and tells afterwards."""

    cache_path = property(lambda self: str(kernel_cache.folder()))

    def __init__(self, function: Callable[..., Any], linked: bool):
        self._function, self._linked, self._reads = function, linked, True

    @functools.cached_property
    def _made_of(self) -> str | None:
        return _identity(self._function)

    def load_overload(self, signature: Any, context: Any) -> Any:
        if not self._reads:
            return None
        context.refresh()
        magic = context.codegen().magic_tuple()
        for root, target in ((kernel_cache.SHIPPED, _shipped_target(magic)), (kernel_cache.folder(), magic)):
            path = self._path(root, signature, target) if target else None
            if path is not None and (content := kernel_cache.read(path)) is not None:
                try:
                    return CompileResult._rebuild(context, *pickle.loads(content))
                except Exception:
                    # Whatever is wrong with a file, the kernel can be compiled.
                    continue
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        path = self._path(kernel_cache.folder(), signature, result.codegen.magic_tuple())
        if path is not None and not result.lifted and not result.library.has_dynamic_globals:
            kernel_cache.write(path, dumps(result._reduce() if self._linked else _without_bitcode(result._reduce())))

    def flush(self) -> None:
        """Read no file from now on: Numba's ``recompile`` asks for it, and what it compiles replaces the files."""
        self._reads = False

    def _path(self, root: Path, signature: Any, target: Any) -> Path | None:
        kinds = [_name_of(kind) for kind in signature] if isinstance(signature, tuple) else [None]
        if self._made_of is None or None in kinds:
            return None
        name, key = self._function.__name__.strip("<>"), digest(self._made_of, kinds, _versions())[:32]
        return root / _folder_of(target) / self._function.__module__ / f"{name}-{key}{kernel_cache.ENDING}"


def _without_bitcode(reduced: Any) -> Any:
    """A kernel that nothing can be linked to, in a third of the space: of its bitcode Numba looks names up alone."""
    (name, kind, (machine_code, bitcode)), *rest = reduced
    names = [function.name for function in binding.parse_bitcode(bitcode).functions if not function.is_declaration]
    empty = "".join(f'define void @"{function}"() {{ ret void }}\n' for function in names)
    return (name, kind, (machine_code, binding.parse_assembly(empty).as_bitcode())), *rest


@functools.cache
def _versions() -> tuple[Any, ...]:
    return (
        numba.__version__,
        sys.implementation.cache_tag,
        config.OPT,
        config.BOUNDSCHECK,
    )


def _identity(function: Callable[..., Any]) -> str | None:
    """All that the code of a function depends on but the types of its arguments; None if that cannot be told."""
    text = stamp(function.__module__)
    try:
        cells = dumps(tuple(cell.cell_contents for cell in function.__closure__ or ()))
    except Exception:
        return None
    code = function.__code__
    return text and digest(text, function.__qualname__, code.co_firstlineno, _instructions(code), cells)


def _instructions(code: Any) -> Any:
    """What a code object does, without its place in a file."""
    constants = [_instructions(item) if isinstance(item, type(code)) else item for item in code.co_consts]
    return code.co_code, code.co_names, constants


def _name_of(kind: Any) -> str | None:
    """A type of an argument in words that mean the same in every process; None if there are none."""
    if isinstance(kind, types.BaseTuple):
        parts = [_name_of(part) for part in kind.types]
        made_of = _class_identity(kind.instance_class) if isinstance(kind, types.BaseNamedTuple) else ""
        return None if made_of is None or None in parts else f"{type(kind).__name__}{made_of}({parts})"
    if isinstance(kind, types.Optional):
        inner = _name_of(kind.type)
        return inner and f"{inner}?"
    name = str(kind)
    return None if " at 0x" in name or isinstance(kind, types.Callable) else name


@functools.cache
def _class_identity(cls: Any) -> str | None:
    """Where a class of tuples is defined and all that its verbs are made of; None if another process cannot know."""
    refuse_field(cls.__name__, cls._fields)
    text = stamp(cls.__module__) if "<locals>" not in cls.__qualname__ else None
    return text and f"{cls.__module__}.{cls.__qualname__}:{text}"


def at_least_v3(features: Any) -> bool:
    """Whether a processor has what the level x86-64-v3 asks for."""
    return all(features.get(name) for name in ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"))


@functools.cache
def _shipped_target(magic: tuple[str, str, str]) -> tuple[str, str, str] | None:
    """For what the kernels of a wheel were compiled, if this processor, as Numba was told to see it, can run them."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return None
    triple = magic[0]
    if not triple.startswith("x86_64"):
        return triple, "generic", ""
    return (triple, "x86-64-v3", "") if at_least_v3(binding.get_host_cpu_features()) else None


@functools.cache
def _folder_of(target: tuple[str, str, str]) -> str:
    return f"{target[1]}-{digest(*target)[:8]}"
