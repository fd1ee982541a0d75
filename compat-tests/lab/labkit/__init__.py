# SPDX-License-Identifier: BSD-2-Clause
"""Paths with a known answer: hosts and routers in network namespaces, joined by links whose
rate, delay, queue and loss are emulated by the program impair.

    from labkit import Lab, default_topology

    with Lab(default_topology()) as lab:
        lab.serve("server", ["iperf3", "-s"])
        done = lab.run("client", ["iperf3", "-c", "192.0.2.66", "-t", "5"])
        lab.set("router>server", ["loss=1%"])
        before = lab.counters()
        ...
        lost = lab.counters().since(before)["router>server"]["drop_loss"]

Everything is taken down at the end of the block, whatever happens in it."""

from .counters import Counters
from .errors import LabError
from .network import Lab
from .topology import Topology, default_topology, parse_topology

__all__ = ["Counters", "Lab", "LabError", "Topology", "default_topology", "parse_topology"]
