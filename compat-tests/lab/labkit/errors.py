# SPDX-License-Identifier: BSD-2-Clause


class LabError(Exception):
    """One line for the user; the lab command prints it and exits with 2."""
