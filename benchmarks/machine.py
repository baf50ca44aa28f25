"""What the figures were measured on, and one thread for all. Imports NumPy late: see `one_thread`."""

import os
import platform
from pathlib import Path

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
CHOSEN_KERNEL = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # where set, BLAS isn't what this machine would run


def one_thread() -> None:
    """Single-threaded BLAS with the kernel that it picks itself. BLAS reads this when NumPy is imported."""
    for name in THREADS:
        os.environ[name] = "1"
    for name in CHOSEN_KERNEL:
        os.environ.pop(name, None)


def describe() -> dict[str, str]:
    import numpy as np

    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": np.__version__,
        "BLAS": _blas(),
        "load": _load(),
    }


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unnamed processor"


def _blas() -> str:
    """The kernel that runs, where threadpoolctl can ask; else what NumPy was built with."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return f"{_built_with()} (as built; install threadpoolctl to see which kernel runs)"
    pools = [pool for pool in threadpool_info() if pool.get("user_api") == "blas"]
    shown = [
        f"{pool['internal_api']} {pool['version']}, kernel {pool.get('architecture', 'unknown')}, "
        f"{pool['num_threads']} thread"
        for pool in pools
    ]
    return "; ".join(shown) or _built_with()


def _built_with() -> str:
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def _load() -> str:
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return "{:.2f} in the last minute, {:.2f} in the last five".format(*os.getloadavg()[:2])
