# SPDX-License-Identifier: BSD-2-Clause
"""A lab: namespaces, devices, routes and the emulator between them."""

import contextlib
import os
import signal
import subprocess
import time

from . import emulator, ns, state
from .errors import LabError
from .topology import free_address

EMULATOR = "emulator"  # its namespace; no node may have the name

# Packet sockets take what comes: the far ends must never say "too big" themselves.
FAR_MTU = 65535
MTU = 1500
TUN_QUEUE = 5000


def need_root():
    if os.geteuid() != 0:
        raise LabError("needs root: it makes network namespaces and real-time threads")


class Lab:
    """with Lab(topology) as lab: ... Options: name; seed of all random choices; congestion,
    the TCP congestion control of all nodes; tun: TUN devices instead of veth pairs;
    priority: real-time priority of the emulator, 0 for none.
    shared: commands that name no lab may mean this one."""

    def __init__(self, topology, name=None, seed=1, congestion=None, tun=False, priority=50,
                 shared=False):
        need_root()
        if EMULATOR in topology.nodes:
            raise LabError("no node can be named %s" % EMULATOR)
        if name is not None and not state.NAME.match(name):
            raise LabError("%r is no name of a lab (1 to 20 letters, digits, _)" % name)
        self.topology, self.seed, self.congestion = topology, seed, congestion
        self.tun, self.priority, self.shared = tun, priority, shared
        self.name = name or state.own_name()
        self.record, self.emulator, self.last = None, None, None
        self._servers = []

    # ---- up and down ----

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *unused):
        self.down()

    def up(self):
        try:
            self._up()
        except BaseException:
            self.down()
            raise

    def _up(self):
        with _deferred():
            self.record = state.create(self.name, {
                "nodes": self.topology.nodes, "topology": self.topology.text,
                "tun": self.tun, "shared": self.shared})
        for node in self.topology.nodes + [EMULATOR]:
            ns.add(self.netns(node))
        ns.inside(self.netns(EMULATOR), _quiet_namespace)
        for node in self.topology.nodes:
            ns.inside(self.netns(node), lambda n=node: self._prepare(n))
        # TUN devices exist only while the emulator runs, veth pairs must be there before.
        if self.tun:
            self._start_emulator()
            self._configure()
        else:
            self._make_pairs()
            self._configure()
            self._start_emulator()
        for name, words in self.topology.sets:
            self.set(name, words)
        # While the devices came up, some sent to others that were not there yet.
        self.ask("reset")

    def down(self):
        """Take everything down, whatever state it is in. The emulator's counters stay in
        self.last."""
        with _undisturbed():
            for server in self._servers:
                _end(server)
            if self.emulator:
                self.last = self.emulator.close() or self.last
            if self.record:
                self.record.remove()
            self.record, self._servers = None, []

    def netns(self, node):
        """Name of the namespace of a node, for ip netns exec."""
        if node not in self.topology.nodes and node != EMULATOR:
            raise LabError("no node %s; there are %s" % (
                node, " ".join(self.topology.nodes)))
        return state.netns_name(self.name, node)

    # ---- set-up, step by step ----

    def _prepare(self, node):
        """Settings of a node's namespace, before it has devices. Runs inside."""
        router = int(node in self.topology.routers())
        for name, value in (
                ("net.ipv4.ip_forward", router),
                ("net.ipv4.conf.all.rp_filter", 0), ("net.ipv4.conf.default.rp_filter", 0),
                # Linux answers one error a second: traceroutes would see holes.
                ("net.ipv4.icmp_ratelimit", 0),
                # Nothing learnt in one measurement may change the next.
                ("net.ipv4.tcp_no_metrics_save", 1)):
            ns.write_sysctl(name, value)
        for name, value in (
                ("net.ipv4.icmp_msgs_per_sec", 100000), ("net.ipv4.icmp_msgs_burst", 100000),
                ("net.ipv6.icmp.ratelimit", 0),
                ("net.ipv6.conf.all.disable_ipv6", 0),
                ("net.ipv6.conf.default.disable_ipv6", 0),
                # Addresses are usable at once.
                ("net.ipv6.conf.default.accept_dad", 0), ("net.ipv6.conf.all.accept_dad", 0),
                ("net.ipv6.conf.default.accept_ra", 0),
                ("net.ipv6.conf.default.router_solicitations", 0),
                ("net.ipv6.conf.all.forwarding", router)):
            ns.write_sysctl(name, value, must=False)
        if self.congestion:
            _set_congestion(self.congestion)

    def _make_pairs(self):
        for i, link in enumerate(self.topology.links):
            for k, end in enumerate((link.a, link.b)):
                try:
                    ns.ip("-n", self.netns(end.node), "link", "add", "name",
                          "eth%d" % end.number, "address", mac(i, k), "type", "veth", "peer",
                          "name", far(i, k), "netns", self.netns(EMULATOR))
                except LabError as e:
                    raise LabError("cannot make veth devices (--tun may do without): %s" %
                                   e) from None
        ns.ip("-n", self.netns(EMULATOR), batch=[
            "link set dev %s mtu %d up" % (far(i, k), FAR_MTU)
            for i in range(len(self.topology.links)) for k in (0, 1)])

    def _start_emulator(self):
        self.emulator = emulator.Emulator(self._commands(), self.record.control, self.seed,
                                          self.priority)

    def _commands(self):
        commands = []
        for i, link in enumerate(self.topology.links):
            words = ["link", link.a.node, link.b.node]
            for k, end in enumerate((link.a, link.b)):
                words.append("tun:eth%d@%s" % (end.number, self.netns(end.node)) if self.tun
                             else "%s@%s" % (far(i, k), self.netns(EMULATOR)))
            for version in (4, 6):
                address = free_address(link, version)
                words += ["hop=" + address] if address else []
            words += _for_emulator(link.words)
            commands.append(" ".join(words))
        return commands

    def _configure(self):
        for node in self.topology.nodes:
            self._configure_node(node)

    def _configure_node(self, node):
        """Addresses, neighbours and routes."""
        batch, mine = ["link set dev lo up"], []
        for i, link in enumerate(self.topology.links):
            for k, end in enumerate((link.a, link.b)):
                if end.node == node:
                    mine.append((i, k, end, link[1 - k], mtu_of(link.words)))
        if not self.tun:
            ns.inside(self.netns(node), lambda: [
                ns.offloads_off("eth%d" % end.number) for _, _, end, _, _ in mine])
        for i, k, end, other, mtu in mine:
            dev = "eth%d" % end.number
            queue = " txqueuelen %d" % TUN_QUEUE if self.tun else ""
            batch.append("link set dev %s mtu %d%s up" % (dev, mtu, queue))
            for address in end.addresses:
                batch.append("addr add %s dev %s%s" % (
                    address, dev, " nodad" if address.version == 6 else ""))
            if not self.tun:
                batch += _neighbours(dev, other, mac(i, 1 - k))
        for network, gateway in self.topology.routes(node):
            batch.append("route add %s via %s" % (network, gateway))
        ns.ip("-n", self.netns(node), batch=batch)

    # ---- use ----

    def argv(self, node, words):
        return ns.argv(self.netns(node), words)

    def environment(self):
        return dict(os.environ, NETCLASSICS_LAB=self.name)

    def run(self, node, words, timeout=60, **options):
        """subprocess.run() in a node's namespace; text is captured."""
        options.setdefault("stdin", subprocess.DEVNULL)
        try:
            return subprocess.run(
                self.argv(node, words), timeout=timeout, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, universal_newlines=True, env=self.environment(),
                **options)
        except subprocess.TimeoutExpired:
            raise LabError("%s: no end within %g s" % (words[0], timeout)) from None

    def start(self, node, words, **options):
        """subprocess.Popen() in a node's namespace; it dies with this process."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("preexec_fn", ns.die_with_parent)
        return subprocess.Popen(self.argv(node, words), env=self.environment(), **options)

    def serve(self, node, words, timeout=5, **options):
        """Start a server and wait until it has opened a port. It is ended with the lab."""
        before = _ports(self.netns(node))
        options.setdefault("stdout", subprocess.DEVNULL)
        server = self.start(node, words, start_new_session=True, **options)
        self._servers.append(server)
        deadline = time.monotonic() + timeout
        while not _ports(self.netns(node)) - before:
            if server.poll() not in (None, 0):
                raise LabError("server %s ended with %d before it opened a port" % (
                    words[0], server.returncode))
            if time.monotonic() > deadline:
                raise LabError("server %s opened no port within %g s" % (words[0], timeout))
            time.sleep(0.01)
        return server

    def set(self, name, words):
        """Change a link, or one way of it: set("router>server", ["loss=1%"])."""
        change(self.record, self.topology, name, words)

    def reseed(self, seed):
        """Start all random choices anew."""
        self.ask("seed %d" % seed)

    def ask(self, line):
        return emulator.ask(self.record.control, line)

    def counters(self):
        self.last = emulator.counters(self.record.control)
        return self.last


def change(record, topology, name, words):
    """Carry out "set" on a running lab. The emulator takes all its words or none."""
    link, way = topology.find(name)
    for_emulator = _for_emulator(words)
    if any(w.startswith("mtu=") for w in words) and way:
        raise LabError("mtu is that of the interfaces at both ends: set it for %s-%s" % way)
    mtu = mtu_of(words, None)
    if for_emulator:
        emulator.ask(record.control, " ".join(["set", name] + for_emulator))
    for end in (link.a, link.b) if mtu else ():
        ns.ip("-n", state.netns_name(record.name, end.node), "link", "set", "dev",
              "eth%d" % end.number, "mtu", mtu)


# ---- details ----


def mac(link, end):
    return "02:00:00:00:%02x:%02x" % (link, end + 1)


def link_local(link, end):
    """Of the interface with mac(link, end) (RFC 4291, appendix A)."""
    return "fe80::ff:fe00:%x" % (link << 8 | (end + 1))


def far(link, end):
    """Name of the emulator's device."""
    return "l%d%s" % (link, "ab"[end])


def mtu_of(words, default=MTU):
    for word in words:
        key, _, value = word.partition("=")
        if key == "mtu":
            if not value.isdigit() or not 68 <= int(value) <= 9000:
                raise LabError("%s: not 68 to 9000" % word)
            default = int(value)
    return default


def _for_emulator(words):
    """Without mtu, and hidden-mtu as what the emulator calls mtu."""
    return [w.replace("hidden-mtu=", "mtu=") for w in words if not w.startswith("mtu=")]


def _neighbours(dev, other, lladdr):
    """Nobody asks for addresses: the first packet is as fast as the next."""
    index = int(lladdr.split(":")[4], 16), int(lladdr.split(":")[5], 16) - 1
    addresses = [str(a.ip) for a in other.addresses]
    if any(a.version == 6 for a in other.addresses):
        addresses.append(link_local(*index))
    return ["neigh replace %s lladdr %s nud permanent dev %s" % (a, lladdr, dev)
            for a in addresses]


def _quiet_namespace():
    # Else the kernel sends its own multicast through the emulator's devices.
    ns.write_sysctl("net.ipv6.conf.all.disable_ipv6", 1, must=False)
    ns.write_sysctl("net.ipv6.conf.default.disable_ipv6", 1, must=False)


def _set_congestion(name):
    try:
        ns.write_sysctl("net.ipv4.tcp_congestion_control", name)
    except OSError:
        with open("/proc/sys/net/ipv4/tcp_allowed_congestion_control") as f:
            allowed = ", ".join(f.read().split())
        raise LabError("congestion control %s cannot be the default of a namespace here; "
                       "%s can, others by the program's own option" % (name, allowed)) \
            from None


def _ports(netns):
    """Local addresses that are listened on (TCP) or bound (UDP), from /proc/net."""
    pids = ns.members([netns])
    found = set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for pid in pids:
            try:
                with open("/proc/%d/net/%s" % (pid, kind)) as f:
                    lines = f.readlines()[1:]
            except OSError:
                continue
            for line in lines:
                words = line.split()
                if words[3] == ("07" if kind.startswith("udp") else "0A"):
                    found.add((kind, words[1]))
            break
    return found


def _end(process, patience_s=2):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def _deferred():
    """A signal that comes meanwhile takes effect at the end."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


@contextlib.contextmanager
def _undisturbed():
    """No signal stops what goes on here. Outside the main thread there is none anyway."""
    old = {}
    try:
        for number in SIGNALS:
            old[number] = signal.signal(number, signal.SIG_IGN)
    except ValueError:
        pass
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)

