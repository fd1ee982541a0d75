# SPDX-License-Identifier: BSD-2-Clause
"""iperf3's JSON: strict reading, libcjson's layout, and comparing two documents by keys,
their order and types."""

import json

# Keys that iperf3 does not have; they come after all of its own (report.h).
OURS = {"sender_known", "receiver_known", "remote_known", "reordered", "duplicates",
        "lost_includes_omitted", "why"}
# Values that must be the same, whatever was measured.
SAME = {"protocol", "num_streams", "omit", "bytes_asked", "blocks", "reverse", "tos",
        "bidir", "fqrate", "fq_rate", "target_bitrate", "sender", "omitted", "error",
        "title", "extra_data", "filename", "event", "sock_bufsize"}


class Number(str):
    """As it was written."""


class Members(list):
    """An object as (key, value) pairs."""

    def keys(self):
        return [key for key, _ in self]

    def get(self, name):
        return dict(iter(self)).get(name)


def _refuse(word):
    raise AssertionError("%s is not JSON" % word)


def read(text, once=True):
    """The one value in text, with objects as Members and numbers as Number. A key that
    comes twice is an error, or with once=False the first one counts."""
    def members(pairs):
        found = Members()
        for key, value in pairs:
            if key not in found.keys():
                found.append((key, value))
            elif once:
                raise AssertionError("key %r comes twice" % key)
        return found

    return json.loads(text, object_pairs_hook=members, parse_int=Number,
                      parse_float=Number, parse_constant=_refuse)


def _scalar(value):
    if isinstance(value, Number):
        return value
    return json.dumps(value, ensure_ascii=False)


def layout(value, depth=0):
    """The value as libcjson prints it."""
    if isinstance(value, Members):
        lines = ["\t" * (depth + 1) + "%s:\t%s" % (json.dumps(key, ensure_ascii=False),
                                                  layout(item, depth + 1))
                 for key, item in value]
        return "{\n" + "".join(",\n".join(lines) + "\n" if lines else "") + \
            "\t" * depth + "}"
    if isinstance(value, list):
        return "[" + ", ".join(layout(item, depth + 1) for item in value) + "]"
    return _scalar(value)


def one_line(value):
    """The value without white space."""
    if isinstance(value, Members):
        return "{" + ",".join("%s:%s" % (json.dumps(key, ensure_ascii=False), one_line(item))
                              for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(one_line(item) for item in value) + "]"
    return _scalar(value)


def _kind(value):
    if isinstance(value, Number):
        return "number"
    return type(value).__name__


def differences(want, ours, path=""):
    """List of what differs between iperf3's value and ours, empty when nothing does."""
    if _kind(want) != _kind(ours):
        return ["%s: %s instead of %s" % (path, _kind(ours), _kind(want))]
    if isinstance(want, Members):
        return _members(want, ours, path)
    if isinstance(want, list):
        if path.endswith(".intervals"):  # their number is a matter of time
            want, ours = want[:1], ours[:1]
        if len(want) != len(ours):
            return ["%s: %d elements instead of %d" % (path, len(ours), len(want))]
        return [text for i, pair in enumerate(zip(want, ours))
                for text in differences(*pair, path="%s[%d]" % (path, i))]
    if path.rsplit(".", 1)[-1] in SAME and want != ours:
        return ["%s: %s instead of %s" % (path, ours, want)]
    return []


def _members(want, ours, path):
    found = []
    keys = [key for key in ours.keys() if key not in OURS]
    extra = [key for key in ours.keys() if key in OURS]
    if keys != want.keys():
        found.append("%s: keys %s instead of %s" % (path, keys, want.keys()))
    if ours.keys() != keys + extra:
        found.append("%s: keys of ours are not the last: %s" % (path, ours.keys()))
    for key, value in want:
        if key in ours.keys():
            found += differences(value, ours.get(key), path + "." + key)
    return found


def check_document(want, ours):
    """The same for two texts. Ours has libcjson's layout, byte for byte."""
    value = read(ours)
    if layout(value) + "\n" != ours:
        return ["not libcjson's layout"]
    return differences(read(want, once=False), value)


def check_stream(want, ours):
    """The same for --json-stream: a line for each event."""
    found = []
    mine = [read(line) for line in ours.splitlines()]
    theirs = [read(line, once=False) for line in want.splitlines()]
    for line, value in zip(ours.splitlines(), mine):
        if one_line(value) != line:
            found.append("not one line without blanks: %s" % line[:200])
    mine, theirs = _like_once(mine), _like_once(theirs)
    names = [[value.get("event") for value in events] for events in (mine, theirs)]
    if names[0] != names[1]:
        return found + ["events %s instead of %s" % tuple(names)]
    for pair in zip(theirs, mine):
        found += differences(*pair)
    return found


def _like_once(events):
    """Of intervals only the first: their number is a matter of time."""
    kept = []
    for value in events:
        if value.get("event") != "interval" or not kept or \
                kept[-1].get("event") != "interval":
            kept.append(value)
    return kept
