# SPDX-License-Identifier: GPL-2.0-or-later
"""What bufstat says on a slow host only, for checks in Python and tools/manual."""
import re

STILL_WORKING = re.compile(r"^bufstat: measuring: .*: still working \(--timeout N "
                           r"ends it with what is known\)\n", re.MULTILINE)


def unhurried(text):
    """The text without the line that a command prints after 2 seconds."""
    return STILL_WORKING.sub("", text)
