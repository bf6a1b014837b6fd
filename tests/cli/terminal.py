# SPDX-License-Identifier: GPL-2.0-or-later
"""bufstat top on a terminal of its own, for checks."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


class Screen:
    """The words are a command that shows vda15 on 80 by 24."""

    def __init__(self, words, term="xterm-256color", **environ):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.sent = b""
        environ = {**os.environ, "TERM": term, **environ}
        for name in ("LINES", "COLUMNS"):
            environ.pop(name, None)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            login_tty(self.slave)
            os.execvpe(words[0], words, environ)
        self.until(b"vda15")

    def read(self, seconds):
        """What it sends until it sends nothing for so long."""
        sent = b""
        while select.select([self.master], [], [], seconds)[0]:
            try:
                more = os.read(self.master, 65536)
            except OSError:
                break
            if not more:
                break
            sent += more
        self.sent += sent
        return sent

    def until(self, text):
        for _ in range(200):
            self.read(0.1)
            if text in self.sent:
                return
        sys.exit(f"no {text} in {self.sent}")

    def ended(self, what):
        """Its status, if it ends in 5 seconds with little processor time."""
        for _ in range(100):
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                if usage.ru_utime + usage.ru_stime > 2:
                    sys.exit(f"{what}: {usage.ru_utime} s of a processor")
                return status
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    self.sent += os.read(self.master, 65536)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        sys.exit(f"{what}: it goes on")

    def restored(self, what):
        self.read(0.05)
        if termios.tcgetattr(self.slave) != self.before:
            sys.exit(f"{what}: the terminal has other settings")
        if b"\x1b[?1049l" not in self.sent:
            sys.exit(f"{what}: still on the other screen")
        if b"\x1b[?25h" not in self.sent and b"\x1b[34h" not in self.sent:
            sys.exit(f"{what}: no cursor")

    def close(self):
        os.close(self.master)
        os.close(self.slave)


def login_tty(slave):
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in 0, 1, 2:
        os.dup2(slave, fd)
