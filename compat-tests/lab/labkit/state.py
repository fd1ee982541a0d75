# SPDX-License-Identifier: BSD-2-Clause
"""Which labs there are: one folder each under /run, so that several run side by side and
what a killed one left is found."""

import json
import os
import re
import shutil

from . import ns
from .errors import LabError

FOLDER = "/run/netclassics-lab"
PREFIX = "nclab"
NAME = re.compile(r"[A-Za-z0-9_]{1,20}$")


def started(pid):
    """Start time of a process in clock ticks since boot; None when there is none."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            words = f.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else int(words[19])


def netns_name(lab, node):
    return "%s-%s-%s" % (PREFIX, lab, node)


class Record:
    """What the folder of a lab says."""

    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(FOLDER, name)
        self.control = os.path.join(self.folder, "control")
        self.data = {}
        try:
            with open(os.path.join(self.folder, "lab.json")) as f:
                self.data = json.load(f)
        except (OSError, ValueError):
            pass

    def alive(self):
        pid = self.data.get("pid")
        return pid is not None and started(pid) == self.data.get("started")

    def namespaces(self):
        """Those that exist."""
        start = "%s-%s-" % (PREFIX, self.name)
        return sorted(n for n in _list(ns.RUN) if n.startswith(start))

    def remove(self):
        """Processes, namespaces and folder of the lab. Returns the namespaces removed."""
        names = self.namespaces()
        ns.end_members(names)
        for name in names:
            ns.delete(name)
        shutil.rmtree(self.folder, ignore_errors=True)
        return names


def _list(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def records():
    """All labs: those with a folder, and those of which only namespaces are left."""
    names = set(_list(FOLDER))
    for name in _list(ns.RUN):
        words = name.split("-")
        if words[0] == PREFIX and len(words) == 3:
            names.add(words[1])
    return [Record(name) for name in sorted(names)]


def living():
    return [r for r in records() if r.alive()]


def dead():
    # A folder without a record may be one that is being made just now.
    return [r for r in records() if not r.alive() and (r.data or r.namespaces())]


def find(name=None):
    """The lab of that name; without one that of $NETCLASSICS_LAB, or the only one that
    "lab run" or "lab shell" made without --name. The labs of tests are named or private, so
    that nobody changes them by accident."""
    name = name or os.environ.get("NETCLASSICS_LAB")
    labs = living()
    if name:
        for record in labs:
            if record.name == name:
                return record
        raise LabError("no lab %s is running%s" % (name, _those(labs)))
    shared = [record for record in labs if record.data.get("shared")]
    if len(shared) == 1:
        return shared[0]
    if not labs:
        raise LabError("no lab is running")
    raise LabError("%s lab is running; choose one with --lab%s" % (
        "more than one" if shared else "only a named", _those(labs)))


def _those(labs):
    return "; there is %s" % ", ".join(r.name for r in labs) if labs else ""


def create(name, data):
    """Make the folder of a lab that this process owns. Returns its Record."""
    record = Record(name)
    os.makedirs(FOLDER, mode=0o755, exist_ok=True)
    try:
        os.mkdir(record.folder, 0o700)
    except FileExistsError:
        if record.alive():
            raise LabError("a lab named %s is running already (pid %d)" % (
                name, record.data["pid"])) from None
        raise LabError("a lab named %s was killed and left its parts; lab clean removes "
                       "them" % name) from None
    if record.namespaces():
        os.rmdir(record.folder)
        raise LabError("a namespace named %s exists already; lab clean removes it" %
                       record.namespaces()[0])
    record.data = dict(data, name=name, pid=os.getpid(), started=started(os.getpid()))
    partial = os.path.join(record.folder, "lab.json.new")
    with open(partial, "w") as f:
        json.dump(record.data, f)
    os.rename(partial, os.path.join(record.folder, "lab.json"))
    return record


def own_name():
    """A free name for a lab of this process: its pid, and a letter when it has more."""
    taken = {r.name for r in records()}
    for suffix in [""] + [chr(c) for c in range(ord("a"), ord("z") + 1)]:
        name = "%d%s" % (os.getpid(), suffix)
        if name not in taken:
            return name
    raise LabError("too many labs in one process")
