# SPDX-License-Identifier: BSD-2-Clause
"""What programs that run "iperf3 -J" take out of its JSON, key by key, with the types they
insist on. Each function fails the way its program would."""

import json


def parse(text):
    """One value, strictly: no NaN, no key twice, nothing after it."""
    def members(pairs):
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), "a key comes twice: %s" % names
        return dict(pairs)

    def refuse(word):
        raise AssertionError("%s is not JSON" % word)

    return json.loads(text, object_pairs_hook=members, parse_constant=refuse)


def _number(value):
    assert isinstance(value, (int, float)) and not isinstance(value, bool), repr(value)
    return value


def _whole(value):
    assert isinstance(value, int) and not isinstance(value, bool), repr(value)
    return value


def _text(value):
    assert isinstance(value, str), repr(value)
    return value


# ---- the exporter for Prometheus: typed structs, absent keys are 0 ----

def _float64(holder, name):
    return float(_number(holder.get(name, 0)))


def prometheus(text):
    """Metrics by name, as the exporter publishes them; "up" is 0 for a failure."""
    document = parse(text)
    end = document["end"]
    if "error" in document or not end:
        return {"up": 0}
    metrics = {"up": 1}
    for side in ("sent", "received"):
        summary = end.get("sum_" + side, {})
        for name in ("seconds", "bytes", "bits_per_second"):
            metrics["%s_%s" % (side, name)] = _float64(summary, name)
    metrics["retransmits"] = _float64(end.get("sum_sent", {}), "retransmits")
    if _text(document["start"]["test_start"]["protocol"]) == "UDP":
        assert all("udp" in stream for stream in end["streams"])
        for name in ("jitter_ms", "lost_packets", "packets", "lost_percent"):
            metrics[name] = _float64(end["sum"], name)
    return metrics


# ---- pScheduler ----

def pscheduler(text, code):
    """{"succeeded", "error", "intervals", "summary"}: streams and sum of each interval
    and of the whole, with its own names for the figures."""
    document = parse(text)
    if code or document.get("error"):
        return {"succeeded": False, "error": _text(document["error"])}
    end = document["end"]
    summary = end["sum_sent"] if "sum_sent" in end else end["sum"]
    streams = [stream.get("udp") or stream["sender"] for stream in end["streams"]]
    return {
        "succeeded": True,
        "intervals": [{"streams": [_figures(s) for s in interval["streams"]],
                       "summary": _figures(interval["sum"])}
                      for interval in document["intervals"]],
        "summary": {"streams": [_figures(s) for s in streams],
                    "summary": _figures(summary),
                    "received": _figures(end["sum_received"])},
    }


def _figures(figures):
    found = {
        "start": _number(figures["start"]),
        "end": _number(figures["end"]),
        "throughput-bits": _number(figures["bits_per_second"]),
        "throughput-bytes": _whole(figures["bytes"]),
    }
    if "omitted" in figures:
        assert isinstance(figures["omitted"], bool)
        found["omitted"] = figures["omitted"]
    for name, theirs in (("retransmits", "retransmits"), ("snd_cwnd", "tcp-window-size"),
                         ("rtt", "rtt"), ("packets", "sent"), ("lost_packets", "lost")):
        if name in figures:
            found[theirs] = _whole(figures[name])
    if "jitter_ms" in figures:
        found["jitter"] = _number(figures["jitter_ms"])
    return found


# ---- the python module iperf3, and Home Assistant on top of it ----

def python_module(text):
    """The attributes of its TestResult."""
    document = parse(text)
    if "error" in document:
        return {"error": _text(document["error"])}
    start, end = document["start"], document["end"]
    test = start["test_start"]
    found = {
        "error": None,
        "type": "client" if "connecting_to" in start else "server",
        "time": _text(start["timestamp"]["time"]),
        "timesecs": _whole(start["timestamp"]["timesecs"]),
        "system_info": _text(start["system_info"]),
        "version": _text(start["version"]),
        "local_host": _text(start["connected"][0]["local_host"]),
        "local_port": _whole(start["connected"][0]["local_port"]),
        "remote_host": _text(start["connected"][0]["remote_host"]),
        "remote_port": _whole(start["connected"][0]["remote_port"]),
        "tcp_mss_default": start.get("tcp_mss_default"),
        "protocol": _text(test["protocol"]),
    }
    for name in ("num_streams", "omit", "duration", "bytes", "blocks", "reverse"):
        found[name] = _whole(test[name])
    peer = start.get("connecting_to") or start["accepted_connection"]
    found["peer"] = (_text(peer["host"]), _whole(peer["port"]))
    for theirs, ours in (("local", "host"), ("remote", "remote")):
        for name in ("total", "user", "system"):
            found["%s_cpu_%s" % (theirs, name)] = _number(
                end["cpu_utilization_percent"]["%s_%s" % (ours, name)])
    if found["protocol"] == "UDP":
        for name in ("bytes", "bits_per_second", "jitter_ms", "lost_packets", "packets",
                     "lost_percent", "seconds"):
            found["sum_" + name] = _number(end["sum"][name])
        return found
    for side in ("sent", "received"):
        for name in ("bytes", "bits_per_second"):
            found["%s_%s" % (side, name)] = _number(end["sum_" + side][name])
    found["retransmits"] = end["sum_sent"].get("retransmits")
    return found


# ---- shells with jq ----

PATHS = {
    "TCP": [".end.sum_sent.bits_per_second", ".end.sum_received.bits_per_second",
            ".end.sum_received.bytes", ".end.streams[0].sender.bits_per_second",
            ".end.streams[0].receiver.bits_per_second", ".intervals[0].sum.bits_per_second",
            ".intervals[0].streams[0].bits_per_second", ".start.connected[0].local_port",
            ".start.timestamp.timesecs", ".end.cpu_utilization_percent.host_total"],
    "UDP": [".end.sum.bits_per_second", ".end.sum.jitter_ms", ".end.sum.lost_percent",
            ".end.sum.lost_packets", ".end.sum.packets", ".end.streams[0].udp.jitter_ms",
            ".end.sum_received.lost_percent", ".intervals[0].sum.packets"],
}
# Where the local side sends TCP.
SENDER_PATHS = [".end.sum_sent.retransmits", ".end.streams[0].sender.retransmits",
                ".end.streams[0].sender.mean_rtt", ".end.streams[0].sender.max_snd_cwnd",
                ".intervals[0].streams[0].rtt", ".intervals[0].streams[0].snd_cwnd"]


def at(document, path):
    """The value at a path of jq's, None when there is none."""
    for step in path.replace("[", ".[").strip(".").split("."):
        try:
            document = document[int(step[1:-1]) if step.startswith("[") else step]
        except (KeyError, IndexError):
            return None
    return document
