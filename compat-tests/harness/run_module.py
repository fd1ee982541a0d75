# SPDX-License-Identifier: BSD-2-Clause
"""run_module.py RECORDS FILE [PATTERN...]: run the tests of one module and write a JSON line
about each to the file RECORDS, for compat-tests/run."""

import fnmatch
import importlib.util
import json
import os
import sys
import time
import traceback
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Result(unittest.TestResult):
    """One record a test: {"test", "outcome": pass|fail|skip, "seconds", "text"}."""

    def __init__(self, out):
        super().__init__()
        self.out, self.open = out, None

    def write(self, **record):
        self.out.write(json.dumps(record) + "\n")
        self.out.flush()

    def startTest(self, test):
        super().startTest(test)
        self.open = {"test": name_of(test), "outcome": "pass", "text": ""}
        self.began = time.monotonic()
        self.write(start=self.open["test"])

    def stopTest(self, test):
        super().stopTest(test)
        self.write(seconds=round(time.monotonic() - self.began, 3), **self.open)
        self.open = None

    def note(self, test, outcome, text):
        if self.open is None:  # setUpClass, tearDownModule and the like
            self.write(test=name_of(test), outcome=outcome, text=text, seconds=0)
        elif outcome == "fail" or self.open["outcome"] == "pass":
            self.open["outcome"] = outcome
            self.open["text"] += text
        elif self.open["outcome"] == "fail":
            self.open["text"] += text

    def failed(self, test, err):
        self.note(test, "fail", self._exc_info_to_string(err, test))

    addFailure = addError = failed

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(test, "fail", "%s\n%s" % (
                subtest._subDescription(), self._exc_info_to_string(err, test)))

    def addSkip(self, test, reason):
        self.note(test, "skip", reason)

    def addUnexpectedSuccess(self, test):
        self.note(test, "fail", "passed, but is marked as expected to fail")

    def addExpectedFailure(self, test, err):
        self.note(test, "fail", "expectedFailure is no way to keep a failing test")


def name_of(test):
    words = test.id().split(".")
    return ".".join(words[-2:]) if " " not in test.id() else test.id()


def tests_in(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_in(item)
        else:
            yield item


def chosen(test, module, patterns):
    method = getattr(test, test._testMethodName, None)
    if not os.environ.get("LONG") and (getattr(method, "long_test", False) or
                                       getattr(type(test), "long_test", False)):
        return False
    return matches("%s.%s" % (module, name_of(test)), patterns)


def matches(name, patterns):
    return not patterns or any(p in name or fnmatch.fnmatchcase(name, p)
                               for p in patterns)


def main():
    records, path = sys.argv[1:3]
    patterns = sys.argv[3:]
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    result = Result(open(records, "w"))
    try:
        spec.loader.exec_module(module)
    except unittest.SkipTest as e:
        result.write(test="module", outcome="skip", text=str(e), seconds=0)
        result.write(end=True)
        return
    loaded = unittest.defaultTestLoader.loadTestsFromModule(module)
    suite = unittest.TestSuite(t for t in tests_in(loaded)
                               if chosen(t, name, patterns))
    suite.run(result)
    close_all(result)
    result.write(end=True)


def close_all(result):
    """What setUpClass opened and nobody closed: its errors count too."""
    from harness import cleanup, programs
    text = ""
    try:
        cleanup.close_since(0)
    except Exception:
        text = traceback.format_exc()
    text += programs.take_findings()
    if text:
        result.write(test="end of the module", outcome="fail", text=text, seconds=0)


if __name__ == "__main__":
    main()
