# SPDX-License-Identifier: BSD-2-Clause
"""Run a case with our programs and compare all that came out."""

import difflib
import re

from golden import iperf3_json, iperf3_lines
from golden.iperf3_case import Case, exit_codes, names, run_case
from harness.case import TestCase


def _lines(words):
    return [" / ".join(w) if isinstance(w, tuple) else w for w in words]


def _is_json(text):
    return text.startswith("{")


JSON_INSIDE = re.compile(r"(?<=\nServer JSON output:\n)\{.*\n\}\n", re.S)


def check_text(test, case, part, want, ours):
    inside = [JSON_INSIDE.search(text) for text in (want, ours)]
    if all(inside):
        found = iperf3_json.check_document(*(match.group(0) for match in inside))
        test.assertEqual(found, [], "%s, %s:\n%s" % (case.name, part, ours))
        want, ours = (JSON_INSIDE.sub("JSON\n", text) for text in (want, ours))
    title = "lab7" if part.startswith("client") and "-T lab7" in case.head["client"] else None
    want, _ = iperf3_lines.parse(want, title)
    have, lengths = iperf3_lines.parse(ours, title)
    if want != have:
        test.fail("%s, %s:\n%s\n-- all of it:\n%s" % (
            case.name, part, "\n".join(difflib.unified_diff(
                _lines(want), _lines(have), "iperf3", "ours", lineterm="")), ours))
    return lengths


def check_json(case, part, want, ours):
    """Differences of a document, a stream, or a stream and a document."""
    if not want.startswith('{"event"'):
        return iperf3_json.check_document(want, ours)
    (lines, rest), (my_lines, my_rest) = (
        text.partition("\n{\n")[::2] for text in (want, ours))
    found = iperf3_json.check_stream(lines, my_lines)
    if rest or my_rest:
        found += iperf3_json.check_document("{\n" + rest, "{\n" + my_rest)
    return found


def check_part(test, case, part, want, ours):
    if part.endswith("stderr"):
        want, ours = (iperf3_lines.parse(text)[0] for text in (want, ours))
        test.assertEqual(ours, want, "%s, %s" % (case.name, part))
    elif _is_json(want):
        test.assertTrue(_is_json(ours), "%s, %s: no JSON:\n%s" % (case.name, part, ours))
        found = check_json(case, part, want, ours)
        test.assertEqual(found, [], "%s, %s:\n%s\n%s" % (
            case.name, part, "\n".join(found), ours))
    else:
        return check_text(test, case, part, want, ours)
    return None


def check_intervals(test, case, part, lengths):
    """A second's report each second: no rows missing, none without time."""
    count, half = case.interval_count(), 0.2
    if count is None or not lengths or "get-server-output" in case.head["client"] or \
            "second client" in case.head:
        return
    full = [length for length in lengths if length >= half]
    test.assertEqual(len(full), count, "%s, %s: intervals %s" % (case.name, part, lengths))


def check_case(test, name):
    case = Case(name)
    out = run_case(case)
    for part, want in case.parts.items():
        test.assertIn(part, out.parts)
        lengths = check_part(test, case, part, want, out.parts[part])
        if part in ("client stdout", "server stdout") and "-t" in case.head["client"]:
            check_intervals(test, case, part, lengths)
    for who, code in exit_codes(case).items():
        test.assertEqual(out.code[who], code, "%s: exit code of the %s" % (name, who))


def add_tests(*prefixes):
    """A TestCase with a test for each case whose name begins so."""
    class Cases(TestCase):
        pass

    def one(name):
        return lambda self: check_case(self, name)

    for name in names(*prefixes):
        setattr(Cases, "test_" + name.replace("-", "_"), one(name))
    return Cases
