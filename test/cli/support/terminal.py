"""Runs a command on a terminal of its own, types what is expected of it, and copies what it prints to standard output.

Arguments: a JSON list of [text to wait for, text to type, seconds to wait before typing], then the command. Ends with the command's exit code.
"""

import fcntl
import json
import os
import pty
import struct
import sys
import termios
import time

answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
seen = b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
    seen += data
    if answers and answers[0][0].encode() in seen:
        _, typed, *seconds = answers.pop(0)
        time.sleep(seconds[0] if seconds else 0)
        os.write(terminal, typed.encode())
        seen = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
