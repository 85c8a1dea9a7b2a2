#!/usr/bin/env python3
"""Verifies logs of the format actionlog/1, without the engine: python3 verify.py LOG…

Written from the format page alone, so that two programs must agree on what is whole, what a crash has torn and what is
damaged. Prints one JSON object for each log (a directory, or one segment file); the status is 0 when all are clean, 1 when
one is torn or damaged, 3 when one is no log.
"""
import datetime, json, os, re, sys

LINE_LIMIT, DEPTH_LIMIT, SEQ_LIMIT, SECTOR = 16_777_216, 128, 2**53 - 1, 512
MARK = re.compile(rb',"crc":"([0-9a-f]{8})"}\Z')
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z\Z")
NAME = re.compile(r"[0-9]{16}\.jsonl\Z")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
TABLE = []
for number in range(256):  # CRC-32C: Castagnoli's polynomial, reflected
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


class Fault(Exception):
    """Why a line is no record, or not the next one; `whole` when it checks by itself, which no crash brings about."""
    def __init__(self, message, whole=False):
        super().__init__(message)
        self.whole = whole


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return "%08x" % (crc ^ 0xFFFFFFFF)


def strict(data):
    """A value of strict JSON: UTF-8, no names twice, no lone surrogates, no NaN, bounded depth."""
    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("two members have the same name")
        return dict(pairs)
    def refuse(text):
        raise ValueError(text)
    text = data.decode("utf-8")
    depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        depth += (bracket in "{[") - (bracket in "}]")
        if depth > DEPTH_LIMIT:
            raise ValueError("too deep")
    # An integer that is too long to be one of ours is a float here, and no number of a record.
    integer = lambda digits: int(digits) if len(digits) < 20 else float(digits)
    value = json.loads(text, object_pairs_hook=members, parse_constant=refuse, parse_int=integer)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def check(holds, name):
    if not holds:
        raise Fault("the member '%s' is missing or wrong" % name, whole=True)


def number(record, name, least=0):
    value = record.get(name)
    check(type(value) is int and least <= value <= SEQ_LIMIT, name)
    return value


def moment(record, name):
    try:
        text = record.get(name)
        check(isinstance(text, str) and TIME.match(text) and datetime.datetime.fromisoformat(text[:26]), name)
    except ValueError:
        check(False, name)


def digits(record, name):
    check(isinstance(record.get(name), str) and re.match(r"[0-9a-f]{8}\Z", record[name]), name)
    return record[name]


def parse(line):
    """The record of a line without its line feed."""
    mark = MARK.search(line)
    if len(line) >= LINE_LIMIT or not mark or mark.start() == 0:
        raise Fault("the line does not end with a checksum")
    if crc32c(line[:mark.start()]) != mark[1].decode():
        raise Fault("checksum mismatch")
    try:
        record = strict(line)
    except (ValueError, RecursionError) as error:
        raise Fault("not strict JSON: %s" % error)
    if not isinstance(record, dict):
        raise Fault("not an object")
    check(isinstance(record.get("type"), str) and 1 <= len(record["type"].encode()) <= 1024, "type")
    check(isinstance(record.get("data"), dict), "data")
    check(isinstance(record.get("meta", {}), dict), "meta")
    number(record, "seq"), number(record, "synced"), moment(record, "time"), digits(record, "prev")
    return record


def parse_base(data):
    """The members of base.json, with which a pruned log begins."""
    line, mark = data[:-1], MARK.search(data[:-1])
    if not data.endswith(b"\n") or not mark or crc32c(line[:mark.start()]) != mark[1].decode():
        raise Fault("checksum mismatch")
    try:
        base = strict(line)
    except (ValueError, RecursionError) as error:
        raise Fault("not strict JSON: %s" % error)
    names = "seq time log model schema reducer prev first lines link synced tree state crc".split()
    check(isinstance(base, dict) and list(base) == names, "crc")
    moment(base, "time"), digits(base, "prev"), digits(base, "link"), number(base, "schema", 1)
    check(number(base, "first", 2) == number(base, "seq", 1) + 1, "first")
    check(number(base, "lines", base["first"]) and number(base, "synced") <= base["seq"], "synced")
    check(isinstance(base["tree"], list) and len(base["tree"]) == bin(base["lines"]).count("1"), "tree")
    return base


class Log:
    def __init__(self, path):
        self.single = not os.path.isdir(path)
        names = [os.path.basename(path)] if self.single else sorted(name for name in os.listdir(path) if NAME.match(name))
        names = [name for name in names if self.single or 1 <= int(name[:16]) <= SEQ_LIMIT]
        base, base_path, fault = None, os.path.join(path, "base.json"), None
        if not self.single and os.path.lexists(base_path):
            try:
                base = parse_base(open(base_path, "rb").read() if os.path.isfile(base_path) else b"")
                # Segments before it are no part of the log.
                names = [name for name in names if int(name[:16]) >= base["first"]]
            except Fault as error:
                fault = "base.json: %s" % error
        self.files = [path if self.single else os.path.join(path, name) for name in names]
        self.head = None if self.single else self.read_head(os.path.join(path, "HEAD"))
        has_head = not self.single and os.path.lexists(os.path.join(path, "HEAD"))
        if not self.files and not has_head and not base and not fault:
            raise OSError("the directory holds no segment")
        # The last line that is known: seq, crc, synced. Nothing is known before a segment that is read by itself.
        self.link, self.origin = None if self.single else (0, "00000000", 0), None
        self.torn, self.problems, self.last_seq, self.actions, self.schema = False, [], 0, 0, 0
        if base:
            self.link = base["seq"], base["link"], base["synced"]
            self.origin, self.last_seq = (base["log"], base["model"]), base["seq"]
            if names and int(names[0][:16]) != base["first"]:
                self.problems.append("the segment that base.json names is missing")
        if fault:
            self.problems.append(fault)
            self.link = None
        if not self.files:
            self.problems.append("the directory has HEAD but no segment")
        for index in range(len(self.files)):
            self.read(index)
        self.verdict = "damaged" if self.problems else "torn" if self.torn else "clean"

    @staticmethod
    def read_head(path):
        try:
            data = open(path, "rb").read(129) if os.path.isfile(path) and not os.path.islink(path) else b""
            head = strict(data) if len(data) == 128 and data.endswith(b"\n") else None
            number(head, "seq"), digits(head, "crc")
            return number(head, "segment", 1), number(head, "bytes", 1)
        except (ValueError, Fault, AttributeError):
            return None

    def read(self, index):
        data = open(self.files[index], "rb").read()
        is_last = index == len(self.files) - 1
        self.first = None if self.single else int(os.path.basename(self.files[index])[:16])
        self.expects_header, self.holds_action, offset, count, faults, good = True, False, 0, 0, 0, 0
        while offset < len(data):
            end = data.find(b"\n", offset)
            line, count = data[offset:end if end >= 0 else len(data)], count + 1
            unfinished = end < 0 and len(line) < LINE_LIMIT
            try:
                if end < 0:
                    raise Fault("the line has no end")
                record = parse(line)
            except Fault as fault:
                reason = str(fault)
                if is_last and not fault.whole and (not faults or unfinished):
                    reason = self.reason(data, offset, count > 1, unfinished)
                    if reason is None:
                        self.torn = True
                        return
                self.problems.append("line %d, byte %d: %s" % (count, offset, reason))
                faults, self.link, self.expects_header = faults + 1, None, False
            else:
                try:
                    self.accept(record)
                except Fault as fault:
                    if "unsupported" in str(fault) and index == 0 and count == 1:
                        raise OSError(str(fault))
                    self.problems.append("line %d, byte %d: %s" % (count, offset, fault))
                    faults, self.expects_header = faults + 1, False
                self.link = record["seq"], MARK.search(line)[1].decode(), record["synced"]
                self.actions += not record["type"].startswith("@")
                if not self.problems:
                    self.last_seq = record["seq"]
                if not faults:
                    good = end + 1
            offset = end + 1 if end >= 0 else len(data)
        if not count:
            self.problems.append("the segment is empty")
            self.link = None
        elif is_last and not faults and (reason := self.reason(data[:good], good, True, True)):
            self.problems.append("the log is shorter than it was: " + reason)

    def accept(self, record):
        seq, is_control = record["seq"], record["type"].startswith("@")
        check(record["synced"] <= seq - (not is_control), "synced")
        if self.link:
            check(record["prev"] == self.link[1], "prev")
            check(seq == self.link[0] + (not is_control), "seq")
            check(record["synced"] >= self.link[2], "synced")
        check((record["type"] == "@segment") == self.expects_header, "type")
        if record["type"] == "@segment":
            self.accept_header(record["data"], seq)
        elif record["type"] == "@open":
            number(record["data"], "epoch", 1)
            # All actions of a segment have one schema.
            check(number(record["data"], "schema", 1) == self.schema or not self.holds_action, "schema")
            self.schema = record["data"]["schema"]
        self.holds_action |= not is_control

    def accept_header(self, data, seq):
        if isinstance(data.get("format"), str) and data["format"] != "actionlog/1":
            raise Fault("unsupported format %r" % data["format"], whole=True)
        check(data.get("format") == "actionlog/1", "format")
        check(isinstance(data.get("log"), str) and UUID.match(data["log"]), "log")
        check(isinstance(data.get("model"), str) and 1 <= len(data["model"].encode()) <= 255, "model")
        number(data, "schema", 1), number(data, "epoch", 1), moment(data, "created")
        if "key" in data:
            check(isinstance(data["key"], str) and 1 <= len(data["key"].encode()) <= 1024, "key")
        if "parent" in data:
            check(isinstance(data["parent"], dict) and isinstance(data["parent"].get("log"), str), "parent")
            number(data["parent"], "seq"), digits(data["parent"], "crc")
        check(number(data, "first", 1) == seq + 1 and self.first in (None, seq + 1), "first")
        self.first = seq + 1
        self.origin = self.origin or (data["log"], data["model"])
        check(self.origin == (data["log"], data["model"]), "log")
        self.expects_header, self.schema = False, data["schema"]

    def reason(self, data, start, has_header, unfinished):
        """Why an end is damage, by the recovery rule; `None` when a crash may have torn it, or nothing is missing."""
        if not has_header:
            return "the segment does not begin with a @segment record"
        if self.head and self.head[0] > (self.first or 1):
            return "HEAD names a later segment, which is missing"
        if self.head and self.head[0] == self.first and self.head[1] > start:
            return "HEAD records more durable bytes in the segment"
        if unfinished:
            return None
        offset, next_whole, synced = start, None, 0
        for line in data[start:].split(b"\n")[:-1]:
            lost = line.rfind(b"\0") + 1  # a lost page leaves zeros and no line feed
            try:
                whole, synced = True, max(synced, parse(line[lost:])["synced"])
            except Fault as fault:
                whole = fault.whole
            if whole and next_whole is None:
                next_whole = offset + lost
            offset += len(line) + 1
        if synced > (self.link[0] if self.link else self.last_seq):
            return "a later line records that this one was durable"
        if next_whole is None:
            return None
        while start < next_whole:
            sector = (start // SECTOR + 1) * SECTOR
            if sector <= next_whole and not data[start:sector].strip(b"\0"):
                return None
            start = sector
        return "good lines follow it, and no lost page explains it"


if __name__ == "__main__":
    status = 0
    for path in sys.argv[1:]:
        try:
            log = Log(path.rstrip("/") or "/")
            answer = {"path": path, "verdict": log.verdict, "lastSeq": log.last_seq, "actions": log.actions}
            print(json.dumps(answer | ({"problems": log.problems[:10]} if log.problems else {})))
            status = max(status, log.verdict != "clean")
        except OSError as error:
            print(json.dumps({"path": path, "verdict": "error", "message": str(error)}))
            status = 3
    sys.exit(status)
