"""Appending to a Redis stream on a Unix socket, with appendfsync always: what is answered is on the device."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time


def command(*parts):
    text = b"*%d\r\n" % len(parts)
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        text += b"$%d\r\n%s\r\n" % (len(part), part)
    return text


def lines(log, limit):
    found = []
    for name in sorted(name for name in os.listdir(log) if name.endswith(".jsonl")):
        with open(f"{log}/{name}", "rb") as file:
            for line in file:
                if b'"type":"@' not in line:
                    found.append(line[:-1])
                if len(found) == limit:
                    return found
    return found


def start(directory, is_synchronous):
    path = f"{directory}/socket"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--dir", directory, "--save", "", "--appendonly", "yes",
         "--appendfsync", "always" if is_synchronous else "no"],
        stdout=subprocess.DEVNULL)
    connection = socket.socket(socket.AF_UNIX)
    for _ in range(200):
        try:
            connection.connect(path)
            return server, connection
        except OSError:
            time.sleep(0.05)
    server.kill()
    sys.exit("redis-server did not start")


def append(log, count, path, sync):
    texts = lines(log, min(count, 100_000))
    batch = 1_000 if sync == "none" else int(sync)
    os.mkdir(path)
    server, connection = start(path, sync != "none")
    try:
        answers = connection.makefile("rb")
        # The commands are ready before the clock starts; a pipeline of them is one write and one sync of the server.
        batches = [
            b"".join(command("XADD", "log", "*", "line", texts[index % len(texts)])
                     for index in range(begin, min(begin + batch, count)))
            for begin in range(0, count, batch)]
        begin = time.perf_counter_ns()
        for number, commands in enumerate(batches):
            connection.sendall(commands)
            for _ in range(min(batch, count - number * batch)):
                answer = answers.readline()
                if not answer.startswith(b"$"):
                    sys.exit(f"redis answered {answer!r}")
                answers.readline()
        nanoseconds = time.perf_counter_ns() - begin
    finally:
        # Whoever started this process may have blocked the polite signal.
        server.kill()
        server.wait()
        shutil.rmtree(path)
    print(json.dumps({"hash": count, "nanoseconds": nanoseconds, "metrics": {}}))


if sys.argv[1] != "append":
    print(f"redis has no task '{sys.argv[1]}'")
    sys.exit(69)
append(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
