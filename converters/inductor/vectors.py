"""Which vector instructions a package may use: those of the target, whatever this host has."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from registry.errors import ConversionError
from registry.require import require


@dataclass(frozen=True)
class Vectors:
    """A width of vectors.

    Attributes:
        name: As torch writes it into the package.
        flags: What a CPU has to have, by the kernel's names.
        bits: 1 is none at all.
        row: Torch's own record of it, in torch._inductor.cpu_vec_isa.
        here: Torch's function that says whether this host has it, in torch.cpu.
    """

    name: str
    flags: tuple[str, ...]
    bits: int
    row: str = ""
    here: str = ""


#: The widest first. The compiler is told no other flags than these.
VECTORS: tuple[Vectors, ...] = (
    Vectors(
        name="AVX512",
        flags=("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx2", "fma", "f16c"),
        bits=512,
        row="VecAVX512",
        here="_is_avx512_supported",
    ),
    Vectors(
        name="AVX2",
        flags=("avx2", "fma", "f16c"),
        bits=256,
        row="VecAVX2",
        here="_is_avx2_supported",
    ),
)
NONE = Vectors("INVALID_VEC_ISA", (), 1)


def vectors_for(isa: tuple[str, ...]) -> Vectors:
    """Return the widest that a target has; what has AVX2 has F16C, which need not be named."""
    known = {*isa, "f16c"} if "avx2" in isa else set(isa)
    return next((one for one in VECTORS if known.issuperset(one.flags)), NONE)


def check_here(vectors: Vectors) -> None:
    """Refuse to build what cannot be tried here.

    Raises:
        ConversionError: This host's CPU lacks it.
    """
    if vectors.here and not getattr(require("torch", extra="convert").cpu, vectors.here)():
        raise ConversionError(
            f"a package for {vectors.name} is run before it is shipped, and this host's CPU has no "
            f"{vectors.name}: convert on one that has, or leave {vectors.flags[0]} out of the "
            "target's isa"
        )


@contextlib.contextmanager
def only(vectors: Vectors) -> Iterator[None]:
    """Have torch know of no other vectors: it takes the most that this host has of a width."""
    known = require("torch._inductor.cpu_vec_isa", extra="convert")
    name = "valid_vec_isa_list"
    before = getattr(known, name)
    rows = [getattr(known, vectors.row)()] if vectors.row else []
    setattr(known, name, lambda: rows)
    try:
        yield
    finally:
        setattr(known, name, before)
