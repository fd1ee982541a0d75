# SPDX-License-Identifier: BSD-2-Clause
"""Where the programs are: ours, and the ones that ours are compared with."""

import functools
import os
import shutil
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("NETCLASSICS_BUILD") or
                        os.path.join(ROOT, "build", "release"))
KIND = os.environ.get("NETCLASSICS_BUILD_KIND") or os.path.basename(BUILD)
SANITIZED = KIND in ("asan", "tsan")

# A finding ends the program with this code, and is written where finding() looks.
FINDING_CODE = 99
_reports = None


def tool(name):
    """Path of one of our programs, or of a test's helper program."""
    path = os.path.join(BUILD, "bin", name)
    if not os.path.exists(path):
        raise AssertionError("%s is not built (make everything BUILD=%s)" % (path, KIND))
    return path


def upstream(name):
    """Path of the original program. Missing: the test is skipped, or fails when
    REQUIRE_UPSTREAM=1."""
    for folder in ["/usr/bin", "/usr/sbin"] + os.get_exec_path():
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and not _ours(path):
            return path
    if os.environ.get("REQUIRE_UPSTREAM"):
        raise AssertionError("upstream %s is not installed" % name)
    raise unittest.SkipTest("upstream %s is not installed" % name)


def need_program(name):
    """Path of another program the test calls (tcpdump, strace); missing: skipped."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise unittest.SkipTest("%s is not installed" % name)
    return path


def need_root():
    """Skip the test unless root: raw sockets and network namespaces."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("needs root")


@functools.lru_cache(None)
def _ours(path):
    # Ours may be installed under the same name; all of ours name the project.
    real = os.path.realpath(path)
    if os.path.commonpath([real, os.path.realpath(BUILD)]) == os.path.realpath(BUILD):
        return True
    with open(real, "rb") as f:
        return b"netclassics" in f.read()


def environment(extra=None):
    """The environment of a program under test: English, UTC, no surprises from the
    user's settings; a sanitizer's finding is an error."""
    global _reports
    env = dict(os.environ)
    for name in list(env):
        if name.startswith(("LC_", "IPERF", "TCP_", "NUTTCP")) or name == "LANGUAGE":
            del env[name]
    env["LC_ALL"] = "C"
    env["TZ"] = "UTC"
    if SANITIZED:
        if _reports is None:
            _reports = tempfile.TemporaryDirectory(prefix="netclassics-findings-")
            os.chmod(_reports.name, 0o1777)
        common = "exitcode=%d:log_path=%s/report" % (FINDING_CODE, _reports.name)
        env["ASAN_OPTIONS"] = common
        env["UBSAN_OPTIONS"] = common + ":print_stacktrace=1"
        env["TSAN_OPTIONS"] = common
        env["LSAN_OPTIONS"] = common
    env.update(extra or {})
    return env


def take_findings():
    """Text of the sanitizers' reports since the last call, also of daemons that closed
    their stderr. Empty when there are none."""
    text = ""
    if _reports is not None:
        for name in sorted(os.listdir(_reports.name)):
            path = os.path.join(_reports.name, name)
            with open(path, errors="replace") as f:
                text += f.read()
            os.unlink(path)
    return text
