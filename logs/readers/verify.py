#!/usr/bin/env python3
"""Verifies logs of the format actionlog/1, their checkpoints and their proofs, without the engine:

  python3 verify.py LOG…                                                     also compared with the checkpoints in LOG/proofs
  python3 verify.py LOG… --checkpoint FILE [--origin TEXT] [--proofs DIR]   does the log begin with these lines?
  python3 verify.py --proof FILE [--checkpoint KEPT]                         is the line in the tree of the checkpoint?
  python3 verify.py --proof FILE --old FILE [--checkpoint KEPT]              does the older tree lead to the newer one?

With --allowed-signers FILE and --key VKEY, the checkpoint must have the signature of a key that these name. ssh-keygen and openssl
check it.

Written from the format page alone, so that two programs must agree on what is whole, what a crash has torn and what is
damaged. Prints one JSON object for each log (a directory, or one segment file), one for its checkpoint, or one for the proof.
The status is 0 when all is well, 1 when something is torn, damaged, not proved or not signed, 2 for wrong use, 3 when a file cannot
be read or is no log, or a program that checks signatures fails. Without a trusted key, signatures are listed and not checked.
"""
import argparse, base64, datetime, hashlib, json, os, re, subprocess, sys, tempfile

LINE_LIMIT, DEPTH_LIMIT, SEQ_LIMIT, SECTOR, TORN_LIMIT = 16_777_216, 128, 2**53 - 1, 512, 2**28
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


class Bad(Exception):
    """Why a file is no checkpoint or no proof, or does not hold."""
    def __init__(self, message, verdict="refused"):
        super().__init__(message)
        self.verdict = verdict


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


def digest(record, name):
    check(isinstance(record.get(name), str) and re.match(r"[0-9a-f]{64}\Z", record[name]), name)
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
    form(line, record)
    return record


# Lines in the Merkle tree: the bytes of a plain line; a commitment in place of the content of one with a salt.

STRING = rb'"(?:[^"\\]|\\.)*"'
TOKEN = re.compile(STRING + rb'|[{}\[\],:]|[^"{}\[\],:]+', re.DOTALL)
WRITER = re.compile(rb'\{"seq":\d+,"time":"[^"\\]{27}","type":' + STRING + rb',"synced":\d+,"prev":"[0-9a-f]{8}"', re.DOTALL)
PAIRS = rb'\{(?:S:"[\w-]*"(?:,S:"[\w-]*")*)?\}'.replace(b"S", STRING)
REDACTED = re.compile(
    rb',"redacted":\{(?:"by":\d+,)?"gone":' + PAIRS + rb',"open":' + PAIRS + rb'(?:,"skip":true)?\},"fill":"[H-Oh-o]{8}"',
    re.DOTALL)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text, size=None, url=False):
    """The bytes of base64 without stray bits; `None` for any other text, and for another number of bytes."""
    text = text if isinstance(text, bytes) else str(text).encode()
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4 if url else 0), b"-_" if url else b"+/", validate=True)
    except ValueError:
        return None
    coded = base64.urlsafe_b64encode(data).rstrip(b"=") if url else base64.b64encode(data)
    return data if coded == text and size in (None, len(data)) else None


def node_of(data):
    """A JSON value without white space: the bytes of a scalar or of an empty container, or a list of pairs of name and node."""
    tokens = [match[0] for match in TOKEN.finditer(data)]
    if any(token[:1] != b'"' and token.split() != [token] for token in tokens):
        raise Fault("its content has white space", whole=True)
    def value(at):
        if tokens[at] not in (b"{", b"["):
            return tokens[at], at + 1
        if tokens[at + 1] in (b"}", b"]"):
            return tokens[at] + tokens[at + 1], at + 2
        is_object, parts, at = tokens[at] == b"{", [], at + 1
        while True:
            name = tokens[at][1:-1] if is_object else None
            part, at = value(at + 2 * is_object)
            parts.append((name, part))
            at += 1
            if tokens[at - 1] != b",":
                return parts, at
    return value(0)[0]


def combine(node, hashes):
    """The commitment to an object or array by those of its parts."""
    if node[0][0] is None:
        return sha256(b"\x12", *hashes)
    return sha256(b"\x13", *(len(name).to_bytes(4, "big") + name + hash for (name, _), hash in zip(node, hashes)))


def commitment(node, salt):
    if isinstance(node, bytes):
        return sha256(b"\x11", salt, node)
    derived = (sha256(b"\x10", salt, index.to_bytes(4, "big"))[:16] for index in range(len(node)))
    return combine(node, [commitment(part, salt) for (_, part), salt in zip(node, derived)])


def kept(node, pointer, gone, opened):
    """The commitment to a value of a redacted line, from the parts in the order of the line, and whether all of it was kept."""
    if gone and gone[0][0] == pointer:
        return gone.pop(0)[1], False
    if opened and opened[0][0] == pointer:
        return commitment(node, opened.pop(0)[1]), True
    if isinstance(node, bytes):
        raise Fault("its redaction does not fit its content", whole=True)
    names = [str(index) if name is None else json.loads(b'"' + name + b'"') for index, (name, _) in enumerate(node)]
    parts = [kept(part, pointer + "/" + name.replace("~", "~0").replace("/", "~1"), gone, opened)
             for name, (_, part) in zip(names, node)]
    if all(whole for _, whole in parts):
        raise Fault("its redaction does not fit its content", whole=True)
    return combine(node, [hash for hash, _ in parts]), False


def sixth(line):
    """Where the sixth member of a line begins, with its comma; the end if there is none."""
    depth, members = 0, 0
    for match in TOKEN.finditer(line):
        depth += (match[0] in b"{[") - (match[0] in b"}]") if len(match[0]) == 1 else 0
        members += depth == 1 and match[0] == b","
        if members == 5:
            return match.start()
    return len(line)


def form(line, record):
    """The entry of a line in the tree. A line that begins like one with a salt must be exactly what a writer makes of it."""
    def require(holds, message):
        if not holds:
            raise Fault("the line is not exactly in the form of salted or redacted lines: " + message, whole=True)
    writer = WRITER.match(line)
    start = writer.end() if writer else sixth(line)
    is_salted = line[start:start + 8] == b',"salt":'
    if not is_salted and line[start:start + 14] != b',"commitment":':
        return line[:-18]
    require(writer, "its first five members are not those of a writer")
    name, size = ("salt", 16) if is_salted else ("commitment", 32)
    secret = unbase64(record[name], size, url=True) if isinstance(record[name], str) else None
    require(secret, "the member '%s' is not %d bytes in base64" % (name, size))
    # The content has no white space, so that its length is known from its tokens.
    end, contents = start + len(',"":""') + len(name) + len(record[name]), []
    for name in ["data", "meta"][:1 + ("meta" in record)]:
        opening = b',"%s":{' % name.encode()
        require(line[end:end + len(opening)] == opening, "'%s' is not where a writer puts it" % name)
        depth, begin = 0, end + len(opening) - 1
        for match in TOKEN.finditer(line, begin):
            depth += (match[0] in b"{[") - (match[0] in b"}]") if len(match[0]) == 1 else 0
            if not depth:
                break
        end = match.end()
        contents.append((name.encode(), node_of(line[begin:end])))
    if is_salted:
        require(end == len(line) - 18, "it has other members than a writer's, or white space")
        found = commitment(contents, secret)
    else:
        match = REDACTED.match(line, end)
        require(match and match.end() == len(line) - 18, "its 'redacted' is not what a writer makes of it")
        redacted = record["redacted"]
        number(redacted, "by") if "by" in redacted else None
        lists = []
        for name, size in [("gone", 32), ("open", 16)]:
            lists.append([(pointer, unbase64(text, size, url=True)) for pointer, text in redacted[name].items()])
            require(all(re.match(r"/(data|meta)(/|\Z)", pointer) and part for pointer, part in lists[-1]),
                    "its 'redacted' is not what a writer makes of it")
        found = combine(contents, [kept(node, "/" + name.decode(), *lists)[0] for name, node in contents])
        if lists != [[], []] or found != secret:
            raise Fault("the redacted line was changed: what was kept is not what it was committed to", whole=True)
    return line[:start] + b',"commitment":"%s"}' % base64.urlsafe_b64encode(found).rstrip(b"=")


def leaf_of(line, record):
    return sha256(b"\0", form(line, record))


def redaction(line, record):
    """What a redacted line says of its redaction; `None` for any other line, whatever members it has."""
    writer = WRITER.match(line)
    return record["redacted"] if writer and line[writer.end():writer.end() + 14] == b',"commitment":' else None


def join(left, right):
    return sha256(b"\1", left, right)


class Tree:
    """The complete subtrees over the first lines, largest first (RFC 6962, section 2.1)."""
    def __init__(self, size=0, hashes=()):
        self.size = size
        self.parts = list(zip([1 << bit for bit in reversed(range(64)) if size >> bit & 1], hashes))

    def append(self, leaf):
        self.size, width = self.size + 1, 1
        while self.parts and self.parts[-1][0] == width:
            leaf, width = join(self.parts.pop()[1], leaf), 2 * width
        self.parts.append((width, leaf))

    def root(self):
        if not self.parts:
            return sha256()
        root = self.parts[-1][1]
        for _, left in reversed(self.parts[:-1]):
            root = join(left, root)
        return root


class Tiles:
    """The hashes in a directory of C2SP tlog-tiles. They are proved by the root that they give, not by themselves."""
    def __init__(self, directory):
        self.directory, self.files = directory, {}

    def tile(self, level, number):
        parts = ["%03d" % (number % 1000)]
        while number >= 1000:
            number //= 1000
            parts.append("x%03d" % (number % 1000))
        path = os.path.join(self.directory, "tile", str(level), *reversed(parts))
        if path not in self.files:
            names = [path] if os.path.isfile(path) else []
            if not names and os.path.isdir(path + ".p"):
                widths = [name for name in os.listdir(path + ".p") if re.match(r"[1-9][0-9]{0,2}\Z", name)]
                names = [os.path.join(path + ".p", name) for name in sorted(widths, key=int)[-1:]]
            data = open(names[0], "rb").read(8193) if names else b""
            self.files[path] = [data[at:at + 32] for at in range(0, len(data) - 31, 32)]
        return self.files[path]

    def subtree(self, height, index):
        """The hash of the 2**height lines from index * 2**height on; `None` if the tiles do not have it."""
        if height % 8 == 0:
            tile = self.tile(height // 8, index // 256)
            if index % 256 < len(tile):
                return tile[index % 256]
        if height == 0:
            return None
        left, right = self.subtree(height - 1, 2 * index), self.subtree(height - 1, 2 * index + 1)
        return join(left, right) if left and right else None

    def tree(self, size):
        hashes, start = [], 0
        for bit in reversed(range(64)):
            if size >> bit & 1:
                hashes.append(self.subtree(bit, start >> bit))
                start += 1 << bit
        return Tree(size, hashes) if all(hashes) else None


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
    # Exactly as it is written: no white space before the state, no other escapes and numbers.
    compact = json.dumps({name: base[name] for name in names[:-2]}, ensure_ascii=False, separators=(",", ":"))
    check(line.startswith(compact[:-1].encode() + b',"state":'), "state")
    check(isinstance(base["log"], str) and UUID.match(base["log"]) and isinstance(base["reducer"], str), "log")
    check(isinstance(base["model"], str) and 1 <= len(base["model"].encode()) <= 255, "model")
    moment(base, "time"), digits(base, "prev"), digits(base, "link"), number(base, "schema", 1)
    check(number(base, "first", 2) == number(base, "seq", 1) + 1, "first")
    check(number(base, "lines", base["first"]) and number(base, "synced") <= base["seq"], "synced")
    check(isinstance(base["tree"], list) and len(base["tree"]) == bin(base["lines"]).count("1"), "tree")
    base["tree"] = [unbase64(text, 32) if isinstance(text, str) else None for text in base["tree"]]
    check(all(base["tree"]), "tree")
    base["sha256"] = hashlib.sha256(data).hexdigest()
    return base


def named_lines(data):
    """The lines that a @redact record names, or "base" for base.json, with the digests after the redaction."""
    lines = data.get("lines")
    check(isinstance(lines, list) and all(isinstance(line, dict) for line in lines), "data.lines")
    check(sum(line.get("base") is True for line in lines) <= 1, "data.lines")
    for line in lines:
        check(isinstance(line.get("with"), dict) and all(re.match(r"/|\Z", name) for name in line["with"]), "data.with")
        check(isinstance(line.get("digest"), str) and len(line["digest"]) == 64, "data.digest")
        if line.get("base") is True:
            yield "base", line["digest"]
        else:
            number(line, "segment", 1), number(line, "seq")
            yield number(line, "index"), line["digest"]


def named_base(data):
    """What identifies the base that a @prune record names; `None` if the beginning was put back."""
    check(isinstance(data.get("reason"), str) and isinstance(data.get("archive", ""), str), "data")
    first, lines, base, segments = number(data, "first", 1), number(data, "lines"), data.get("base"), data.get("segments")
    for segment in segments if isinstance(segments, list) else []:
        check(isinstance(segment, dict), "data.segments")
        number(segment, "first", 1), number(segment, "lines", 1), digest(segment, "sha256")
    if base is None:
        return check(first == 1, "data.base")
    check(isinstance(base, dict) and number(base, "seq", 1) == first - 1 and digest(base, "state"), "data.base")
    return base["seq"], lines, digest(base, "sha256")


class Log:
    def __init__(self, path, on_leaf=None):
        self.on_leaf = on_leaf
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
        self.torn, self.problems, self.last_seq, self.actions, self.schema, self.header_epoch = False, [], 0, 0, 0, 0
        self.base, self.path = base, path
        # Lines are numbered over all segments. Redacted ones, the last records that name lines, and the bases of prunings:
        self.first_line = self.line = base["lines"] if base else 0
        self.redacted, self.named, self.bases, self.removed = {}, {}, [], set()
        # Problems that are no fault of a line: the log is read as if there were none. Those of proofs/ are none of its lines.
        self.findings, self.proof_findings = [], []
        self.edge = None if self.single else read_edge(os.path.join(path, "proofs", "edge"))
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
        # Whether every line was read, so that lines are counted right and their tree is that of the log.
        self.is_read = not self.problems
        if self.is_read and not self.single:
            self.check_redactions()
        # The base is redacted before the record that names it; the next writer completes that.
        is_redacted = base and self.named.get("base") == (self.line - 1, base["sha256"])
        self.is_base_named = not base or is_redacted or (base["seq"], base["lines"], base["sha256"]) in self.bases
        if not self.is_base_named:
            self.findings.append("no @prune record names this base.json")
        self.problems += self.findings
        self.judge()

    def judge(self):
        self.verdict = "damaged" if self.problems else "torn" if self.torn else "clean"

    @staticmethod
    def read_head(path):
        try:
            data = open(path, "rb").read(129) if os.path.isfile(path) and not os.path.islink(path) else b""
            head = strict(data) if len(data) == 128 and data.endswith(b"\n") else None
            number(head, "seq"), digits(head, "crc")
            check(data.startswith(b'{"seq":') or digits(head, "check") == crc32c(data[19:]), "check")
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
                if is_last:
                    self.check_unit(data, end + 1, record, MARK.search(line)[1].decode())
            except Fault as fault:
                reason = str(fault)
                if is_last and not fault.whole and (not faults or unfinished):
                    reason = self.reason(data, offset, count > 1, unfinished, getattr(fault, "after", offset))
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
                try:
                    self.keep(line, record)
                except Fault as fault:
                    self.findings.append("line %d, byte %d: %s" % (count, offset, fault))
                self.actions += not record["type"].startswith("@")
                if not self.problems:
                    self.last_seq = record["seq"]
                if not faults:
                    good = end + 1
            self.line, offset = self.line + 1, end + 1 if end >= 0 else len(data)
        if not count:
            self.problems.append("the segment is empty")
            self.link = None
        elif is_last and not faults and (reason := self.reason(data[:good], good, True, True)):
            self.findings.append("the log is shorter than it was: " + reason)

    def check_unit(self, data, offset, record, last):
        """Refuses a unit whose actions are not all there, unless HEAD says that it was durable."""
        if record["type"] != "@unit":
            return
        check(2 <= number(record["data"], "actions") <= 1000, "actions")
        if self.head and (self.head[0] > (self.first or 1) or self.head[0] == (self.first or 1) and self.head[1] >= offset):
            return
        for _ in range(record["data"]["actions"]):
            end = data.find(b"\n", offset)
            try:
                action = parse(data[offset:end]) if end >= 0 else None
            except Fault:
                action = None
            if not action or action["type"].startswith("@") or action["prev"] != last:
                fault = Fault("the actions of the unit are not all there")
                fault.after = offset
                raise fault
            last, offset = MARK.search(data[offset:end])[1].decode(), end + 1

    def keep(self, line, record):
        """Keeps what a good line says of the tree, of redactions and of prunings."""
        if self.on_leaf:
            self.on_leaf(leaf_of(line, record))
        if self.edge and self.edge["lines"] == self.line + 1 and (
                (self.edge["seq"], self.edge["last"]) != (record["seq"], MARK.search(line)[1].decode())):
            self.proof_findings.append("line %d is not the one that the tiles in proofs/ end with" % self.line)
        if found := redaction(line, record):
            self.redacted[self.line] = found.get("by"), hashlib.sha256(line).hexdigest()
        if record["type"] == "@redact":
            for index, found in list(named_lines(record["data"])):
                self.named[index] = self.line, found
        elif record["type"] == "@prune":
            self.named.pop("base", None)  # it names another base
            try:
                self.bases.append(named_base(record["data"]))
                if self.bases[-1]:
                    change = self.removed.add if record["data"].get("segments") else self.removed.discard
                    change(self.bases[-1][:2])
            except Fault:
                pass

    def check_redactions(self):
        for index, found in self.redacted.items():
            if index not in self.named:
                self.findings.append("line %d is redacted, and no @redact record names it" % index)
            elif found != self.named[index] and self.named[index][0] != self.line - 1:
                self.findings.append("line %d is not what the @redact record made of it" % index)
        for index, (by, found) in self.named.items():
            if index == "base":
                is_done = not self.base or self.base["sha256"] == found
            else:
                is_done = index < self.first_line or index in self.redacted
            # The next writer does what the last record says.
            if not is_done and by != self.line - 1:
                self.findings.append("the @redact record in line %d is not carried out in %s" % (by, index))

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
            check(number(record["data"], "schema", 1) == self.schema or not self.holds_action or not self.schema, "schema")
            # Writers that began a segment for salts stated the schema before their own in `@open`, and recorded in their own.
            if self.holds_action or record["data"]["epoch"] != self.header_epoch or record["data"]["schema"] > self.schema:
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
            parent = data["parent"]
            check(isinstance(parent, dict) and isinstance(parent.get("log"), str), "parent")
            number(parent, "seq"), digits(parent, "crc")
            if "lines" in parent or "root" in parent:
                number(parent, "lines", 1), check(isinstance(parent.get("root"), str) and unbase64(parent["root"], 32), "root")
        check(number(data, "first", 1) == seq + 1 and self.first in (None, seq + 1), "first")
        self.first = seq + 1
        self.origin = self.origin or (data["log"], data["model"])
        check(self.origin == (data["log"], data["model"]), "log")
        self.expects_header, self.schema, self.header_epoch = False, data["schema"], data["epoch"]

    def reason(self, data, start, has_header, unfinished, after=None):
        """Why an end is damage, by the recovery rule; `None` when a crash may have torn it, or nothing is missing."""
        if not has_header:
            return "the segment does not begin with a @segment record"
        if self.head and self.head[0] > (self.first or 1):
            return "HEAD names a later segment, which is missing"
        if self.head and self.head[0] == self.first and self.head[1] > start:
            return "HEAD records more durable bytes in the segment"
        if unfinished:
            return None
        if len(data) - start > TORN_LIMIT:
            return "more bytes follow than a crash can tear"
        start = start if after is None else after  # the lines of a unit that are there prove nothing
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


class Checkpoint:
    """C2SP tlog-checkpoint: origin, number of lines, root; then the signatures of a C2SP signed-note."""
    def __init__(self, data):
        if len(data) > 1 << 20:
            raise Bad("the note is longer than 1 MiB")
        try:
            note = data.decode("utf-8")
        except ValueError:
            raise Bad("the note is not UTF-8")
        if not note.endswith("\n"):
            raise Bad("the note does not end with a line feed")
        if re.search(r"[\x00-\x09\x0b-\x1f]", note):
            raise Bad("the note contains a control character")
        text, _, signatures = note.rpartition("\n\n") if "\n\n" in note else (note[:-1], "", "")
        lines = text.split("\n")
        if len(lines) < 3 or "" in lines:
            raise Bad("a checkpoint has three lines: origin, size, root")
        self.origin, self.size, self.root = lines[0], number_of(lines[1], "the size of a checkpoint"), unbase64(lines[2], 32)
        if not self.root:
            raise Bad("the root of a checkpoint is base64 of 32 bytes")
        self.text, self.signatures, self.trusted = (text + "\n").encode(), [], None
        # An empty line at the end is followed by an empty line that is no signature.
        for line in (signatures[:-1] if signatures else "").split("\n") if "\n\n" in note else []:
            match = re.match(r"\u2014 ([^ +]+) (\S+)\Z", line)
            if not match or any(letter.isspace() for letter in match[1]) or (
                    len(unbase64(match[2]) or b"") < 5 or len(self.signatures) == 100):
                raise Bad("the note has a line after its text that is not a signature")
            self.signatures.append((match[1], unbase64(match[2])[:4], unbase64(match[2])[4:]))

    def answer(self):
        answer = {"origin": self.origin, "lines": self.size, "root": base64.b64encode(self.root).decode()}
        if self.trusted is not None:
            return answer | {"signatures": self.trusted}
        return answer | ({"uncheckedSignatures": [name for name, _, _ in self.signatures]} if self.signatures else {})


NAMESPACE = "action-log-checkpoint"
KEY_START = bytes.fromhex("302a300506032b6570032100")  # of a public key of Ed25519 in DER (RFC 8410)


def run(words, data=b"", bad=()):
    """Whether a program accepts a signature. Any other answer than yes and no is an error."""
    try:
        status = subprocess.run(words, input=data, stdout=subprocess.DEVNULL).returncode
    except FileNotFoundError:
        raise OSError("the program '%s' is missing" % words[0])
    if status not in (0, 1) and status not in bad:
        raise OSError("the program '%s' ended with status %d, so no signature was verified" % (words[0], status))
    return status == 0


class Trust:
    """The keys that the user trusts: those of a file of ssh-keygen, and verifier keys of C2SP signed-note."""
    def __init__(self, allowed, keys):
        self.allowed, self.signers = contents(allowed) if allowed else b"", []
        self.keys = [self.verifier_key(text) for text in keys]
        self.is_named = bool(allowed or keys)
        if allowed:
            for line in self.allowed.decode("utf-8", "replace").splitlines()[:10_000]:
                fields = line.split()
                # Options may contain quoted spaces, so the key is the field after its type.
                at = [index for index, field in enumerate(fields) if index and re.match("(sk-)?(ssh|ecdsa)-", field)][:1]
                key = unbase64(fields[at[0] + 1]) if at and at[0] + 1 < len(fields) and fields[0][0] != "#" else None
                if key:
                    self.signers.append((fields[0].strip('"').split(","), key))
            if not self.signers:
                raise Wrong("the file of allowed signers has no key")

    @staticmethod
    def verifier_key(text):
        parts = text.split("+", 2)
        key = unbase64(parts[2]) if len(parts) == 3 else None
        if not key or len(key) != 33 or key[0] not in (1, 4) or not parts[0]:
            raise Wrong("a verifier key has the form NAME+KEYID+BASE64, and is one of Ed25519")
        if sha256(parts[0].encode(), b"\n", key)[:4].hex() != parts[1]:
            raise Wrong("the key ID of the verifier key of '%s' does not fit its key" % parts[0])
        return parts[0], key

    def check(self, checkpoint, may_be_unsigned=False):
        """Verifies the signatures of trusted keys, and passes over those of others."""
        if not self.is_named:
            return
        checkpoint.trusted, refused = [], []
        for name, key_id, signature in checkpoint.signatures:
            for owner, key in self.keys:
                if owner == name and sha256(name.encode(), b"\n", key)[:4] == key_id:
                    self.note(checkpoint, name, self.is_ed25519(checkpoint.text, key, signature))
            for patterns, key in self.signers:
                kind = b"\xff" + b"sshsig/" + NAMESPACE.encode()
                if covers(patterns, name) and sha256(name.encode(), b"\n", kind, key)[:4] == key_id:
                    is_good = self.is_ssh(checkpoint.text, key, signature, name)
                    if not is_good and self.is_ssh(checkpoint.text, key, signature):
                        refused.append(name)
                    else:
                        self.note(checkpoint, name, is_good)
                    break
        if not checkpoint.trusted and not may_be_unsigned:
            names = ", ".join("'%s'" % name for name, _, _ in checkpoint.signatures)
            message = "no trusted key has signed the checkpoint: it has " + ("signatures of " + names if names else "no signature")
            if refused:
                message += ". The key of '%s' is listed, but not for '%s' at this time" % ("', '".join(refused), NAMESPACE)
            raise Bad(message, "unsigned")

    @staticmethod
    def note(checkpoint, name, is_good):
        if not is_good:
            raise Bad("the signature of '%s' is bad" % name, "badSignature")
        if name not in checkpoint.trusted:
            checkpoint.trusted.append(name)

    @staticmethod
    def is_ed25519(text, key, signature):
        if key[0] == 4:  # C2SP tlog-cosignature: the text with a time
            text = b"cosignature/v1\ntime %d\n" % int.from_bytes(signature[:8], "big") + text
            signature = signature[8:]
        if len(signature) != 64:
            return False
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("key", "text", "signature")]
            for path, data in zip(paths, (KEY_START + key[1:], text, signature)):
                write(path, data)
            return run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", paths[0], "-in", paths[1],
                        "-sigfile", paths[2]])

    def is_ssh(self, text, key, signature, name=None):
        """Whether a signature is one of a text and a key, and, with a name, the key may sign checkpoints under it now."""
        if not signature.startswith(b"SSHSIG\0\0\0\1" + len(key).to_bytes(4, "big") + key):
            return False
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, file) for file in ("signature", "signers")]
            digits = base64.b64encode(signature).decode()
            lines = [digits[at:at + 70] for at in range(0, len(digits), 70)]
            armor = ["-----BEGIN SSH SIGNATURE-----"] + lines + ["-----END SSH SIGNATURE-----", ""]
            write(paths[0], "\n".join(armor).encode())
            write(paths[1], self.allowed)
            action = ["verify", "-f", paths[1], "-I", name] if name else ["check-novalidate"]
            # 255 is its answer to a bad signature and to a key that is not allowed.
            return run(["ssh-keygen", "-q", "-Y"] + action + ["-n", NAMESPACE, "-s", paths[0]], text, range(128, 256))


class Wrong(Exception):
    """Why a command line cannot be followed."""


def covers(patterns, name):
    """Whether patterns of ssh-keygen allow a name: one matches, and none that begins with an exclamation mark does."""
    def matches(pattern):
        return re.match(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".") + r"\Z", name, re.S)
    return any(matches(pattern) for pattern in patterns if pattern[:1] != "!") and not any(
        matches(pattern[1:]) for pattern in patterns if pattern[:1] == "!")


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def number_of(digits, what):
    if not re.match(r"(0|[1-9][0-9]{0,18})\Z", digits, re.ASCII) or int(digits) >= 2**63:
        raise Bad("%s is a number of digits, without leading zeros" % what)
    return int(digits)


class Proof:
    """The head of a proof: a few lines, then hashes, an empty line, and the checkpoint that the proof ends with."""
    def __init__(self, data):
        self.data = data

    def line(self, start):
        line, feed, rest = self.data.partition(b"\n")
        if not feed or not line.startswith(start):
            raise Bad("the file is no proof: it lacks a line that begins with '%s'" % start.decode())
        self.data = rest
        return line[len(start):]

    def rest(self):
        hashes = []
        while line := self.line(b""):
            hashes.append(unbase64(line, 32))
            if not hashes[-1] or len(hashes) > 63:
                raise Bad("hash %d of the proof is not base64 of 32 bytes, or one too many" % len(hashes))
        return hashes, Checkpoint(self.data)


def check_line(data, trust):
    """Verifies C2SP tlog-proof, with the line in `extra` (RFC 9162, section 2.1.3.2). Returns the answer and the checkpoint."""
    proof = Proof(data)
    if proof.line(b"c2sp.org/tlog-proof@v1"):
        raise Bad("the file is no proof: it does not begin with c2sp.org/tlog-proof@v1")
    line = unbase64(proof.line(b"extra "))
    index = number_of(proof.line(b"index ").decode("latin-1"), "the index of a line")
    path, checkpoint = proof.rest()
    trust.check(checkpoint)
    try:
        if line is None or b"\n" in line:
            raise Fault("it is not base64 of a line")
        record = parse(line)
        hash = leaf_of(line, record)
    except Fault as fault:
        raise Bad("the line of the proof is not a record: %s" % fault)
    at, last = index, checkpoint.size - 1
    for sibling in path:
        if at & 1 or at == last:
            hash = join(sibling, hash)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            hash = join(hash, sibling)
        if last == 0:
            last = -1
            break
        at, last = at >> 1, last >> 1
    if index >= checkpoint.size or last != 0 or hash != checkpoint.root:
        raise Bad("the line is not line %d of the tree that the checkpoint names" % index)
    gone = list((redaction(line, record) or {"gone": []})["gone"])
    return {"index": index, "record": record} | checkpoint.answer() | ({"notProved": gone} if gone else {}), checkpoint


def check_consistency(data, old, trust):
    """Verifies the body of `add-checkpoint` of C2SP tlog-witness (RFC 9162, section 2.1.4.2)."""
    proof = Proof(data)
    size = number_of(proof.line(b"old ").decode("latin-1"), "the size of a tree")
    path, new = proof.rest()
    # The older checkpoint was kept by the user, perhaps before it was signed.
    trust.check(old, may_be_unsigned=True)
    trust.check(new)
    if old.origin != new.origin:
        raise Bad("the checkpoints are of different logs: '%s' and '%s'" % (old.origin, new.origin))
    if size != old.size:
        raise Bad("the proof begins at %d lines, and the older checkpoint is of %d" % (size, old.size))
    if size > new.size:
        raise Bad("the older checkpoint is of %d lines, and the newer one of %d" % (size, new.size))
    if size == 0:
        holds = not path and old.root == sha256() and (new.size > 0 or new.root == old.root)
    elif size == new.size:
        holds = not path and old.root == new.root
    else:
        holds = leads(old, new, path)
    if not holds:
        raise Bad("the tree of %d lines does not lead to that of %d lines" % (size, new.size))
    return {"old": size} | new.answer(), new


def compare_kept(found, kept):
    """Compares the checkpoint of a proof that holds with one that was kept."""
    if found.text == kept.text:
        return {"isKeptCheckpoint": True}
    message = "the proof ends with a checkpoint of %d lines of '%s', and the one that was kept is of %d lines of '%s'" % (
        found.size, found.origin, kept.size, kept.origin)
    if found.origin == kept.origin and found.size == kept.size:
        message += ", with another root"
    raise Bad(message, "otherCheckpoint")


def leads(old, new, path):
    if old.size & (old.size - 1) == 0:
        path = [old.root] + path
    at, last = old.size - 1, new.size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    if not path:
        return False
    first = second = path[0]
    for hash in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            first, second = join(hash, first), join(hash, second)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            second = join(second, hash)
        at, last = at >> 1, last >> 1
    return last == 0 and first == old.root and second == new.root


EDGE = re.compile(
    rb'\{"lines":([1-9]\d{0,18}),"seq":(0|[1-9]\d{0,18}),"segment":[1-9]\d{0,18},"line":[1-9]\d{0,18},"last":"([0-9a-f]{8})"'
    rb',"crc":"([0-9a-f]{8})"\}\n\Z')


def read_edge(path):
    """How far the tiles in proofs/ go; `None` if no valid file says so."""
    data = open(path, "rb").read(257) if os.path.isfile(path) else b""
    match = EDGE.match(data)
    if not match or crc32c(data[:match.start(4) - 8]) != match[4].decode():
        return None
    return {"lines": int(match[1]), "seq": int(match[2]), "last": match[3].decode()}


def check_stored(log, leaves):
    """Compares a log with the checkpoints in its proofs/, and its end with that of the tiles."""
    directory, problems, stored = os.path.join(log.path, "proofs"), log.proof_findings, []
    folder, newest = os.path.join(directory, "checkpoints"), os.path.join(directory, "checkpoint")
    for path in [directory, folder]:
        if os.path.lexists(path) and not os.path.isdir(path):
            problems.append("%s is not a directory" % path)
    names = sorted(name for name in os.listdir(folder) if re.match(r"[0-9]{16}\Z", name)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names] + [newest] * os.path.lexists(newest)
    for path in paths:
        try:
            checkpoint = Checkpoint(contents(path))
            if path != newest and checkpoint.size != int(os.path.basename(path)):
                raise Bad("it is of %d lines, which its name does not match" % checkpoint.size)
        except (Bad, OSError) as error:
            problems.append("%s is not a checkpoint: %s" % (path, error))
            continue
        # The published copy usually is that of the last one.
        known = [(other.size, other.root, other.origin) for other, _ in stored]
        if path != newest or (checkpoint.size, checkpoint.root, checkpoint.origin) not in known:
            stored.append((checkpoint, path))
    tree = Tree(log.base["lines"], log.base["tree"]) if log.base else Tree()
    first, last = tree.size, tree.size + len(leaves)
    for checkpoint, path in sorted(stored, key=lambda pair: pair[0].size):
        found = tree
        if checkpoint.size < first:
            tiles = Tiles(directory)
            found, newer = tiles.tree(checkpoint.size), tiles.tree(first)
            if not found or not newer or newer.parts != Tree(first, log.base["tree"]).parts:
                problems.append("the tiles from %s to base.json are gone or do not fit it" % path)
                continue
        elif checkpoint.size > last:
            problems.append("the log has %d lines, fewer than the checkpoint of %d lines" % (last, checkpoint.size))
            continue
        else:
            while tree.size < checkpoint.size:
                tree.append(leaves[tree.size - first])
        if found.root() != checkpoint.root:
            problems.append("the log does not lead to %s" % path)
        elif checkpoint.origin != min(stored, key=lambda pair: pair[0].size)[0].origin:
            problems.append("%s has another origin than the log's first checkpoint" % path)
    if log.edge and log.edge["lines"] > last:
        problems.append("the log has %d lines, and the tiles in proofs/ cover %d" % (last, log.edge["lines"]))


def verified(path):
    """Reads a log, and compares it with its proofs/ if its lines are known."""
    leaves = []
    log = Log(path, leaves.append if os.path.lexists(os.path.join(path, "proofs")) else None)
    if log.is_read and log.on_leaf and log.is_base_named:
        check_stored(log, leaves)
        log.problems += log.proof_findings
    # A log that was made from another one, with its base, never had the tiles of the lines before it.
    if log.is_read and log.base and (log.base["seq"], log.base["lines"]) in log.removed:
        tree = Tiles(os.path.join(path, "proofs")).tree(log.base["lines"])
        if not tree or tree.parts != Tree(log.base["lines"], log.base["tree"]).parts:
            log.problems.append("the tiles of the first %d lines are missing or do not fit base.json" % log.base["lines"])
    log.judge()
    return log


def compare(path, checkpoint, origin, proofs):
    """Reads a log and makes its tree again. Returns the log, and the verdict on the checkpoint with what belongs to it."""
    if os.path.isfile(path):
        raise OSError("a checkpoint covers a complete log, and this is a single segment")
    leaves = []
    log = Log(path, leaves.append)
    if not log.is_read:
        return log, "damaged", {"message": "the log is damaged, so its tree is not known"}
    # What the tree does not show: redactions and a base without a record, and lines that are missing at the end.
    good = "altered" if log.findings else "extends"
    if checkpoint.origin not in (origin, "actionlog/%s" % log.origin[0]):
        return log, "otherLog", {}
    tiles = Tiles(proofs or os.path.join(path, "proofs"))
    tree = Tree(log.base["lines"], log.base["tree"]) if log.base else Tree()
    lines = tree.size + len(leaves)
    if checkpoint.size < tree.size:
        older, newer = tiles.tree(checkpoint.size), tiles.tree(tree.size)
        if not older or not newer or newer.parts != tree.parts:
            return log, "pruned", {}
        same = older.root() == checkpoint.root
        return (log, good, {"more": lines - checkpoint.size}) if same else (log, "differs", {"before": checkpoint.size})
    if checkpoint.size > lines:
        return log, "shorter", {"missing": checkpoint.size - lines}
    first = tree.size
    for leaf in leaves[:checkpoint.size - first]:
        tree.append(leaf)
    if tree.root() == checkpoint.root:
        return log, good, {"more": lines - checkpoint.size}
    # The root proves the leaves that give it, so a damaged tile accuses no line.
    known = tiles.tree(first)
    for index in range(first, checkpoint.size):
        hash = tiles.subtree(0, index) if known else None
        known.append(hash) if hash else (known := None)
    if known and known.root() == checkpoint.root:
        for index in range(first, checkpoint.size):
            if tiles.subtree(0, index) != leaves[index - first]:
                return log, "differs", {"line": index}
    return log, "differs", {"before": checkpoint.size}


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def report(answer):
    print(json.dumps(answer))


def main():
    parser = argparse.ArgumentParser(
        description="Verifies logs of the format actionlog/1, their checkpoints and their proofs.")
    parser.add_argument("logs", nargs="*", metavar="LOG", help="a directory, or one segment file")
    parser.add_argument(
        "--checkpoint", metavar="FILE",
        help="check that the logs begin with the lines of this checkpoint, or that a proof ends with it")
    parser.add_argument("--origin", metavar="TEXT", help="the origin of the checkpoint, if it is not actionlog/ and the UUID")
    parser.add_argument("--proofs", metavar="DIR", help="a copy of proofs/, which names the first line that differs")
    parser.add_argument("--proof", metavar="FILE", help="verify the proof of a line; with --old that one tree leads to another")
    parser.add_argument("--old", metavar="FILE", help="the older checkpoint of a proof")
    parser.add_argument("--allowed-signers", metavar="FILE", help="trust these keys of SSH, in the form of ssh-keygen")
    parser.add_argument("--key", metavar="VKEY", action="append", default=[], help="trust this key of a log or a witness")
    options = parser.parse_args()
    if (options.proof and options.logs) or (options.old and not options.proof) or (
            (options.origin or options.proofs) and not (options.checkpoint and options.logs)) or (
            (options.checkpoint or options.key or options.allowed_signers) and not (options.logs or options.proof)) or (
            (options.key or options.allowed_signers) and not (options.checkpoint or options.proof)):
        parser.error("--checkpoint needs a log or a proof, --origin and --proofs a log and a checkpoint, --old a proof, --key and "
                     "--allowed-signers a checkpoint or a proof; a proof needs no log")
    status = 0
    try:
        trust = Trust(options.allowed_signers, options.key)
        checkpoint = Checkpoint(contents(options.checkpoint)) if options.checkpoint else None
        if options.proof:
            data = contents(options.proof)
            old = Checkpoint(contents(options.old)) if options.old else None
            answer, found = check_consistency(data, old, trust) if old else check_line(data, trust)
            report({"path": options.proof, "verdict": "proved"} | answer | (compare_kept(found, checkpoint) if checkpoint else {}))
        elif checkpoint:
            trust.check(checkpoint)
    except Wrong as wrong:
        parser.error(str(wrong))
    except Bad as bad:
        report({"path": options.proof or options.checkpoint, "verdict": bad.verdict, "message": str(bad)})
        return 1
    except OSError as error:
        report({"path": options.proof or options.checkpoint, "verdict": "error", "message": str(error)})
        return 3
    for path in options.logs:
        try:
            if checkpoint:
                log, verdict, more = compare(path.rstrip("/") or "/", checkpoint, options.origin, options.proofs)
            else:
                log = verified(path.rstrip("/") or "/")
            answer = {"path": path, "verdict": log.verdict, "lastSeq": log.last_seq, "actions": log.actions}
            report(answer | ({"problems": log.problems[:10]} if log.problems else {}))
            # The torn end of a log does not matter to a checkpoint, which covers only durable lines.
            status = max(status, log.verdict == "damaged" if checkpoint else log.verdict != "clean")
            if checkpoint:
                report({"path": path, "checkpoint": options.checkpoint, "verdict": verdict} | checkpoint.answer() | more)
                status = max(status, verdict != "extends")
        except OSError as error:
            report({"path": path, "verdict": "error", "message": str(error)})
            status = 3
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
