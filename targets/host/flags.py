"""CPU flags that a target can be for, by the Linux kernel's names in /proc/cpuinfo.

What a CPU computes with is here, not what an operating system does with it. The levels are those
of the x86-64 psABI. A host's own flags count as known beside these: new kernels know new ones.
"""

from types import MappingProxyType

#: What each level adds to the ones before it.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("avx2", "fma", "avx", "f16c", "bmi1", "bmi2", "abm", "movbe", "xsave"),
    ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    ("cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"),
    ("cmov", "cx8", "fpu", "fxsr", "lm", "mmx", "sse", "sse2", "syscall"),
)

#: What no level has: products of short numbers and matrices, older vectors, ciphers, memory.
_BEYOND: tuple[str, ...] = (
    *("avx512_vnni", "avx512_bf16", "avx512_fp16", "avx_vnni"),
    *("amx_tile", "amx_int8", "amx_bf16", "amx_fp16", "amx_complex"),
    *("avx_ifma", "avx_ne_convert", "avx_vnni_int8", "avx_vnni_int16"),
    *("avx512ifma", "avx512vbmi", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq"),
    *("avx512_vp2intersect", "avx512_4fmaps", "avx512_4vnniw", "avx512er", "avx512pf"),
    *("3dnow", "3dnowext", "3dnowprefetch", "fma4", "misalignsse", "mmxext", "sse4a", "xop"),
    *("tbm", "lwp", "adx", "aes", "gfni", "pclmulqdq", "sha_ni", "vaes", "vpclmulqdq"),
    *("cldemote", "clflush", "clflushopt", "clwb", "clzero", "erms", "fsrm", "movdir64b"),
    *("movdiri", "fsgsbase", "hle", "nopl", "nx", "pdpe1gb", "rdpid", "rdrand", "rdseed"),
    *("rdtscp", "rtm", "serialize", "waitpkg", "xgetbv1", "xsavec", "xsaveopt", "xsaves"),
)

#: Of 64-bit ARM.
_ARM: tuple[str, ...] = (
    *("asimd", "asimddp", "asimdfhm", "asimdhp", "asimdrdm", "bf16", "fp", "fphp", "i8mm"),
    *("sme", "sme2", "sve", "sve2", "svebf16", "svei8mm", "atomics", "crc32", "pmull"),
)

FLAGS: tuple[str, ...] = (*(flag for level in _LEVELS for flag in level), *_BEYOND, *_ARM)

#: Names that makers and compilers have for what the kernel calls otherwise.
OTHER_NAMES = MappingProxyType(
    {
        "amx": "amx_tile",
        "avx512": "avx512f",
        "avx512_vbmi": "avx512vbmi",
        "avx512_ifma": "avx512ifma",
        "cmpxchg16b": "cx16",
        "fma3": "fma",
        "lzcnt": "abm",
        "neon": "asimd",
        "osxsave": "xsave",
        "sha": "sha_ni",
        "sse3": "pni",
        "vnni": "avx512_vnni",
    }
)
