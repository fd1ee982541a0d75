#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""layers.py [ROOT]: check the C files of the tree against layers.txt. Prints one line for
each breach, "file:line: what"; exits 1 when there was one."""

import collections
import fnmatch
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIP = {".git", "build", "dist", "__pycache__"}

# Words that are C identifiers of functions are meant only when called.
NOT_CALLED = {"stdout", "stderr"}

Rules = collections.namedtuple("Rules", "levels only words never")


def read_rules(path):
    """levels: module -> number; only, words, never: lists of (patterns, globs)."""
    rules = Rules({}, [], [], [])
    with open(path) as f:
        text = f.read().replace("\\\n", " ")
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, tail = line.partition(":")
        kind, *args = head.split()
        names = tail.split()
        if kind == "level":
            rules.levels.update((name, int(args[0])) for name in names)
        elif kind == "never":
            rules.never.append((names, args))
        else:
            getattr(rules, kind).append((args, names))
    return rules


def c_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIP)
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), root)


def blank(text, strings):
    """The text without comments, and without strings too if asked; lines stay."""
    pattern = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"

    def gone(match):
        word = match.group(0)
        if word[0] == "/" or strings:
            return '""' * (word[0] == '"') + "\n" * word.count("\n")
        return word
    return re.sub(pattern, gone, text, flags=re.S)


def matches(path, globs):
    return any(fnmatch.fnmatchcase(path, g) for g in globs)


class Tree:
    def __init__(self, root, rules):
        self.root, self.rules = root, rules
        self.files = list(c_files(root))
        self.known = set(self.files)
        self.breaches = []

    def say(self, path, line, text):
        self.breaches.append("%s:%d: %s" % (path, line, text))

    def check(self):
        for path in self.files:
            with open(os.path.join(self.root, path), errors="replace") as f:
                text = f.read()
            self.includes(path, blank(text, strings=False))
            self.words(path, blank(text, strings=True))
        return self.breaches

    # ---- includes ----

    def includes(self, path, text):
        regex = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
        for found in regex.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            for names, globs in self.rules.only:
                if matches(found.group(2), names) and not matches(path, globs):
                    self.say(path, line, "<%s> is for %s only" % (
                        found.group(2), " ".join(globs)))
            if found.group(1) == '"':
                self.own_header(path, line, found.group(2))

    def own_header(self, path, line, name):
        mine = part_of(path)
        # The folder of the file, then the makefile's -I, then the root.
        places = [os.path.dirname(path), path.split("/")[0], "common", ""]
        for place in places:
            target = os.path.normpath(os.path.join(place, name))
            if target in self.known:
                break
        else:
            self.say(path, line, '"%s" is in none of: %s' % (
                name, ", ".join(dict.fromkeys(p or "." for p in places))))
            return
        theirs = part_of(target)
        if mine.startswith("compat-tests"):
            return
        if theirs not in (mine, "common"):
            self.say(path, line, "%s uses %s of another tool" % (mine, target))
        elif "/test/" in path:
            return
        elif "/test/" in target:
            self.say(path, line, "%s belongs to the tests" % target)
        elif mine == "common":
            self.level(path, line, target)

    def level(self, path, line, target):
        levels = self.rules.levels
        mine, theirs = module_of(path), module_of(target)
        for name in (mine, theirs):
            if name not in levels:
                self.say(path, line, "common/%s has no level in layers.txt" % name)
                return
        if levels[theirs] > levels[mine]:
            self.say(path, line, "%s (level %d) uses %s (level %d)" % (
                mine, levels[mine], theirs, levels[theirs]))

    # ---- words ----

    def words(self, path, text):
        for words, globs in self.rules.words:
            if not matches(path, globs):
                self.find(path, text, words, "is for %s only" % " ".join(globs))
        for words, globs in self.rules.never:
            if matches(path, globs):
                self.find(path, text, words, "is not used in %s" % " ".join(globs))

    def find(self, path, text, words, why):
        called = [w for w in words if w not in NOT_CALLED]
        plain = [w for w in words if w in NOT_CALLED]
        # "x->err(" and "x.time(" are members, no library functions.
        regex = r"(?<![\w.>])(?:(%s)[ \t]*\(|(%s)\b)" % (
            "|".join(called) or "(?!)", "|".join(plain) or "(?!)")
        for found in re.finditer(regex, text):
            line = text.count("\n", 0, found.start()) + 1
            self.say(path, line, "%s %s" % (found.group(1) or found.group(2), why))


def part_of(path):
    """The tool or library that a file belongs to: its first folder, two in compat-tests."""
    words = path.split("/")
    return "/".join(words[:2] if words[0] == "compat-tests" else words[:1])


def module_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def check(root):
    """List of breaches in the tree at root."""
    return Tree(root, read_rules(os.path.join(HERE, "layers.txt"))).check()


if __name__ == "__main__":
    found = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
