# SPDX-License-Identifier: BSD-2-Clause
"""The rules of layers.txt hold in this tree, and the checker sees each kind of breach."""

import os
import tempfile
import unittest

import layers
from harness import ROOT, TestCase


class Layers(TestCase):
    def test_this_tree(self):
        breaches = layers.check(ROOT)
        if breaches:
            self.fail("\n" + "\n".join(breaches))

    def test_this_tree_has_files(self):
        self.assertGreater(len(list(layers.c_files(ROOT))), 10)

    def breaches(self, **files):
        """Names have __ for / and end in _c or _h; returns the breaches without places."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name.replace("__", "/")[:-2] + "." + name[-1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as f:
                    f.write(text)
            return layers.check(root)

    def test_good(self):
        self.assertEqual(self.breaches(
            common__err_h="", common__sock_h='#include "err.h"\n#include <stdio.h>\n',
            common__sock_c='#include "sock.h"\n/* printf("x") exit(1) strcpy( */\n'
                           'const char *s = "gets(\\"stdout";\n'
                           'int snprintf_like(void) { x->exit(1); return fprintf(f, ""); }\n',
            common__test__check_main_h="",
            ttcp__conf_h='#include "sock.h"\n', nuttcp__conf_h="",
            ttcp__main_c='#include "conf.h"\nint main(void) { printf("x"); exit(1); }\n',
            ttcp__report_text_c='void r(void) { fputs("x", stdout); }\n',
            ttcp__test__test_conf_c='#include "conf.h"\n#include "test/check_main.h"\n'
                                    'void t(void) { puts(""); exit(1); }\n',
            iperf3__proto_c="#include <cjson/cJSON.h>\n",
            **{"compat-tests__fuzz__x_c": '#include "ttcp/conf.h"\n'}), [])

    def test_each_breach(self):
        for files, want in (
            (dict(common__err_h='#include "sock.h"\n', common__sock_h=""),
             "common/err.h:1: err (level 0) uses sock (level 2)"),
            (dict(common__other_h='\n#include "err.h"\n', common__err_h=""),
             "common/other.h:2: common/other has no level in layers.txt"),
            (dict(ttcp__a_c='#include "../nuttcp/b.h"\n', nuttcp__b_h=""),
             "ttcp/a.c:1: ttcp uses nuttcp/b.h of another tool"),
            (dict(ttcp__a_c='#include "nuttcp/b.h"\n', nuttcp__b_h=""),
             "ttcp/a.c:1: ttcp uses nuttcp/b.h of another tool"),
            (dict(ttcp__test__a_c='#include "nuttcp/b.h"\n', nuttcp__b_h=""),
             "ttcp/test/a.c:1: ttcp uses nuttcp/b.h of another tool"),
            (dict(common__sock_c='#include "ttcp/b.h"\n', ttcp__b_h=""),
             "common/sock.c:1: common uses ttcp/b.h of another tool"),
            (dict(ttcp__a_c='#include "none.h"\n'),
             'ttcp/a.c:1: "none.h" is in none of: ttcp, common, .'),
            (dict(ttcp__a_c='#include "test/x.h"\n', ttcp__test__x_h=""),
             "ttcp/a.c:1: ttcp/test/x.h belongs to the tests"),
            (dict(ttcp__a_c="#include <pcap.h>\n"),
             "ttcp/a.c:1: <pcap.h> is for common/capture.c only"),
            (dict(ttcp__a_c="# include <openssl/evp.h>\n"),
             "ttcp/a.c:1: <openssl/evp.h> is for iperf3/auth_crypto.c only"),
            (dict(ttcp__a_c='/* a\n */\nint x(void) { return printf("x"); }\n'),
             "ttcp/a.c:3: printf is for"),
            (dict(ttcp__a_c="FILE *x = stdout;\n"), "ttcp/a.c:1: stdout is for"),
            (dict(common__sock_c="void x(void) { exit(1); }\n"),
             "common/sock.c:1: exit is for"),
            (dict(ttcp__proto_c="int x = socket(1, 2, 3);\n"),
             "ttcp/proto.c:1: socket is not used in */proto*.c"),
            (dict(ttcp__main_c="int x = atoi(s);\n"), "ttcp/main.c:1: atoi is not used"),
            (dict(ttcp__main_c="int x = sprintf (s);\n"), "ttcp/main.c:1: sprintf is not"),
        ):
            found = self.breaches(**files)
            self.assertEqual(len(found), 1, (files, found))
            self.assertTrue(found[0].startswith(want), found[0])


if __name__ == "__main__":
    unittest.main()
