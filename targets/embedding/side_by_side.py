"""Parts of files mapped one behind the other, so that memory shows them as one array."""

import ctypes
import mmap
import os
import weakref
from typing import BinaryIO

import numpy as np

_PROT_NONE, _MAP_FIXED, _MAP_NORESERVE = 0, 0x10, 0x4000


class SideBySide:
    """A range of addresses into which parts of files are mapped, read-only, in order.

    The range is reserved first, so that nothing else can come to lie between them. It is given
    back with the last array that views it; the files may be closed before.

    Raises:
        OSError: The kernel has no room in this process for it.
    """

    def __init__(self, size: int) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
        self._start = self._next = _mmap(None, size, _PROT_NONE, flags, (-1, 0))
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (size,),
            "data": (self._start, True),
        }
        # Not at exit: a thread may still read then.
        weakref.finalize(self, _libc().munmap, self._start, size).atexit = False

    def lay(self, file: BinaryIO, start: int, size: int) -> None:
        """Map bytes of a file behind those before; all but the last have to fill whole pages."""
        flags = mmap.MAP_SHARED | _MAP_FIXED
        _mmap(self._next, size, mmap.PROT_READ, flags, (file.fileno(), start))
        self._next += size

    def view(self) -> np.ndarray:
        """Show all of it as bytes."""
        return np.asarray(self)


def fills_pages(size: int) -> bool:
    """Say whether a number of bytes is one of whole pages."""
    return size % mmap.PAGESIZE == 0


def _mmap(
    address: int | None, size: int, protection: int, flags: int, file: tuple[int, int]
) -> int:
    """Call mmap(2) as it is: Python's own takes no address."""
    found = _libc().mmap(address, size, protection, flags, *file)
    if found == ctypes.c_void_p(-1).value:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(found)


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    where, count, flag = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    libc.mmap.restype = where
    libc.mmap.argtypes = (where, count, flag, flag, flag, ctypes.c_int64)
    libc.munmap.argtypes = (where, count)
    return libc
