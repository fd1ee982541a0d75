# SPDX-License-Identifier: BSD-2-Clause
"""Runs a row until the answer can be believed.

A row is right when the numbers are as expected and the emulator kept its times: the path
was what the table says. What is wrong on a quiet machine, twice, is off. What is never
measured on a quiet machine is "machine too noisy", which is neither."""

import time

from labkit.counters import FOR_ACCURACY, FOR_USE
from labkit.noise import Watch

from .row import NOISY, OFF, OK, SKIPPED, Outcome, Skip

FAILURES = 2
PAUSE_S = 1


def attempt(outcome, bench):
    """Measure once on a fresh path. Returns why the result means nothing, or None."""
    began = time.monotonic()
    outcome.attempts += 1
    with bench.path(outcome.row) as lab, Watch() as watch:
        outcome.measured, outcome.extra = bench.measure(outcome.row)
        counted = lab.counters()
    outcome.seconds = time.monotonic() - began
    outcome.lateness = counted.lateness()
    return why_not(counted, watch, not outcome.wrong_keys())


def why_not(counted, watch, right):
    """A right number needs a path that kept its times; a wrong one blames the tool only
    when the whole machine was quiet."""
    if counted.faults():
        return counted.faults()
    if right:
        return counted.noise(FOR_USE)
    return counted.noise(FOR_ACCURACY) or watch.noise()


def note(outcome, noise):
    text = ", ".join("%s %s" % (k, outcome.shown(k)) for k in outcome.row.expect)
    if "error" in outcome.extra:
        text += " (%s)" % outcome.extra["error"]
    return "%s: %s" % (text, noise or "not as expected, on a quiet machine")


def judge(outcome, bench, attempts=5, deadline=None, try_once=attempt, sleep=time.sleep):
    """Fill in the verdict. deadline: no further attempt after it (time.monotonic())."""
    failures = 0
    for i in range(attempts):
        if i:
            if deadline is not None and time.monotonic() > deadline:
                break
            sleep(PAUSE_S)
        noise = try_once(outcome, bench)
        if not noise and not outcome.wrong_keys():
            outcome.verdict = OK
            return
        outcome.notes.append(note(outcome, noise))
        failures += not noise
        if failures == FAILURES:
            outcome.verdict, outcome.reason = OFF, outcome.notes[-1]
            return
    outcome.verdict, outcome.reason = NOISY, outcome.notes[-1]


def take(row, bench, attempts=5, deadline=None):
    """The Outcome of a row; a tool that is missing is a reason to skip it."""
    outcome = Outcome(row)
    try:
        outcome.program = bench.find(row.tool)
        judge(outcome, bench, attempts, deadline)
    except Skip as e:
        outcome.verdict, outcome.reason = SKIPPED, str(e)
    return outcome
