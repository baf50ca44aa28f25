"""All workloads by name, in the order of the table."""

from benchmarks.workloads.arrays import ARRAY_WORKLOADS
from benchmarks.workloads.networks import NETWORK_WORKLOADS
from benchmarks.workloads.scalars import SCALAR_WORKLOADS

WORKLOADS = {each.name: each for each in (*ARRAY_WORKLOADS, *NETWORK_WORKLOADS, *SCALAR_WORKLOADS)}
