# SPDX-License-Identifier: BSD-2-Clause
"""Other files in /etc, for one program."""

import contextlib
import os
import tempfile

from .programs import need_program, need_root


@contextlib.contextmanager
def etc_files(**texts):
    """with etc_files(hosts="::1 name\\n", resolv_conf=...) as wrap: run(wrap + argv)
    runs argv where /etc/hosts and /etc/resolv.conf are these. Needs root."""
    need_root()
    need_program("unshare")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        script = ""
        for name, text in texts.items():
            with open(folder + "/" + name, "w") as f:
                f.write(text)
            script += "mount --bind %s/%s /etc/%s && " % (folder, name,
                                                         name.replace("_", "."))
        yield ["unshare", "-m", "sh", "-c", script + 'exec "$@"', "sh"]
