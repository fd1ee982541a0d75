# SPDX-License-Identifier: BSD-2-Clause
"""The demonstration works, fails when a scene fails, and leaves nothing behind."""

import os
import signal
import tempfile
import unittest

from harness import BUILD, ROOT, SANITIZED, TestCase, run, start, wait_until
from make import programs

DEMO = os.path.join(ROOT, "compat-tests", "demo", "demo")


class Demo(TestCase):
    @unittest.skipIf(SANITIZED, "of the release build only")
    def test_all_scenes(self):
        if "ttcp" not in programs():
            self.skipTest("ttcp is not there yet")
        done = run([DEMO], env={"NETCLASSICS_BUILD": BUILD}, timeout=60)
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.stdout, r"demo: all \d+ scenes worked\n$")
        self.assertLess(done.seconds, 30, done)
        self.assertEqual(done.stderr, "", done)

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = temp.name
        self.env = {"TMPDIR": temp.name}

    def scene(self, text):
        path = self.folder + "/scene_x.sh"
        with open(path, "w") as f:
            f.write('. "$DEMO/lib.sh"\n' + text)
        return [DEMO, path]

    def left(self):
        """Folders left; the scene itself is not counted."""
        return sorted(set(os.listdir(self.folder)) - {"scene_x.sh", "pid"})

    def gone(self):
        """Wait for the end of what the scene had in the background."""
        with open(self.folder + "/pid") as f:
            path = "/proc/" + f.read().strip()
        wait_until(lambda: not os.path.exists(path), 5, path)

    def test_good_scene(self):
        done = run(self.scene('title T; echo a >a; show cat a; test -d "$BIN" || :\n'
                              'sleep 60 & remember $!; echo $! >"$TMPDIR/pid"\n'),
                   env=self.env)
        self.assertEqual(done.code, 0, done)
        self.assertIn("=== T\n\n$ cat a\na\n", done.stdout)
        self.gone()
        self.assertEqual(self.left(), [])

    def test_bad_scene(self):
        done = run(self.scene("false\necho not reached\n"), env=self.env)
        self.assertEqual(done.code, 1, done)
        self.assertIn("demo: failed: scene_x", done.stdout)
        self.assertNotIn("not reached", done.stdout)

    def test_stopped_in_the_middle(self):
        demo = start(self.scene('sleep 60 & echo $! >"$TMPDIR/pid"; remember $!\n'
                                'echo ready; wait\n'), env=self.env)
        demo.wait_line("^ready$")
        self.assertEqual(demo.stop(signal.SIGINT), 130, demo)
        self.gone()
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
