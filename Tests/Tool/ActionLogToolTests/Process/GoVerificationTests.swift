import ActionLog
import ActionLogMaintenance
import ActionLogTool
import Foundation
import JSONCoding
import TestSupport
import Testing

/// Go and the sources of its module golang.org/x/mod, both without the network.
private enum GoToolchain {
  /// The place of Debian's package golang-golang-x-mod-dev.
  static let sources = "/usr/share/gocode"
  static let isAvailable =
    Executable.find("go") != nil && Executable.find("openssl") != nil
    && FileManager.default.fileExists(atPath: sources + "/src/golang.org/x/mod/sumdb/tlog/tile.go")
}

/// Checkpoints, tiles and proofs of this package, verified by the packages `note` and `tlog` of Go's checksum database.
@Suite(
  "Verification by Go", .timeLimit(.minutes(60)),
  .enabled(
    if: GoToolchain.isAvailable, "needs go, golang.org/x/mod in \(GoToolchain.sources), and openssl"))
struct GoVerificationTests {
  /// A log on disk, with checkpoints that a key of openssl has signed, and the program in Go.
  private struct Story {
    let directory: TemporaryDirectory
    let bench: Bench
    let key: String

    init() async throws {
      directory = try TemporaryDirectory()
      var bench = Bench(tool: .withStories)
      bench.directory = directory.path
      self.bench = bench
      try Data(GoVerificationTests.program.utf8).write(to: URL(filePath: directory.path("verify.go")))
      let build = try ProgramRun([
        "env", "GO111MODULE=off", "GOPATH=\(GoToolchain.sources)", "GOFLAGS=", "GOCACHE=\(directory.path("cache"))",
        "go", "build", "-o", directory.path("verify"), directory.path("verify.go"),
      ])
      try #require(build.status == 0, "\(build.messages)")
      let pem = directory.path("key.pem")
      try #require(try ProgramRun(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem]).status == 0)
      let der = directory.path("key.der")
      try #require(
        try ProgramRun(["openssl", "pkey", "-in", pem, "-pubout", "-outform", "DER", "-out", der]).status == 0)
      let bytes = Array(try Data(contentsOf: URL(filePath: der)).suffix(32))
      let noteKey = NoteKey(name: "example.com/log", kind: .ed25519, key: bytes)
      key = try #require(noteKey.verifierKey)
      // A signature line has the four bytes of the key ID before those of the signature.
      let keyID = (0..<4).map { index in "\\0" + String(noteKey.keyID >> (24 - 8 * index) & 0xFF, radix: 8) }.joined()
      let text = directory.path("text")
      let signing = """
        cat > '\(text)'
        {
          printf '%b' '\(keyID)'
          openssl pkeyutl -sign -rawin -inkey '\(pem)' -in '\(text)'
        } | base64 -w 0 | sed 's|^|— example.com/log |'
        """
      for count in [300, 5, 400] {
        try await run(["record", "counter", "log", "--workload", "\(count)", "--segment-size", "16K"])
        try await run(["checkpoint", "log", "--sign", signing])
      }
    }

    @discardableResult func run(_ words: [String]) async throws -> String {
      let run = await bench.run(words)
      try #require(run.status == 0, "\(words): \(run.messages)")
      return run.output
    }

    /// Writes the output of a command to a file.
    func write(_ words: [String], to name: String) async throws {
      try Data(try await run(words).utf8).write(to: URL(filePath: directory.path(name)))
    }

    func verify(_ proofs: String...) throws -> ProgramRun {
      try ProgramRun([directory.path("verify"), directory.path("log"), key] + proofs.map(directory.path))
    }

    /// The names of the stored checkpoints.
    func checkpoints() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: directory.path("log/proofs/checkpoints")).sorted()
    }

    /// Flips a bit of a file.
    func flip(_ name: String, byte offset: Int) throws {
      let url = URL(filePath: directory.path("log/" + name))
      var bytes = Array(try Data(contentsOf: url))
      bytes[offset] ^= 1
      try Data(bytes).write(to: url)
    }
  }

  @Test func treesSignaturesAndProofsAreVerified() async throws {
    let story = try await Story()
    let old = try #require(try story.checkpoints().first)
    let lines = try LogVerifier.verify(at: story.directory.path("log")).recordCount
    for (words, name) in [
      (["--line", "0"], "first"), (["--line", "\(lines - 1)"], "last"), (["310"], "action"),
      (["--consistency", story.directory.path("log/proofs/checkpoints/" + old)], "growth"),
    ] {
      try await story.write(["prove", "log"] + words, to: name)
    }
    let run = try story.verify("first", "last", "action", "growth")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output == "\(lines) lines, 4 tiles, 3 checkpoints, 3 record proofs, 1 tree proofs\n")
  }

  /// The program above would notice.
  @Test func changesAreRefused() async throws {
    let story = try await Story()
    try await story.write(["prove", "log", "7"], to: "action")
    #expect(try story.verify("action").status == 0)
    var proof = try String(contentsOfFile: story.directory.path("action"), encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let index = try #require(Int(proof[2].dropFirst("index ".count)))
    proof[2] = "index \(index + 1)"
    try Data(proof.joined(separator: "\n").utf8).write(to: URL(filePath: story.directory.path("other")))
    #expect(try story.verify("other").status == 1)
    let last = try #require(try story.checkpoints().last)
    for (name, offset) in [
      ("proofs/tile/0/001", 4_000), ("proofs/tile/1/000.p/2", 40), ("proofs/checkpoints/" + last, 3),
      ("proofs/checkpoint", 60), ("0000000000000001.jsonl", 30),
    ] {
      try story.flip(name, byte: offset)
      let run = try story.verify()
      #expect(run.status != 0, "\(name): \(run.output)")
      try story.flip(name, byte: offset)
    }
    #expect(try story.verify().status == 0)
  }

  private static let program = #"""
    // Verifies a log and its folder proofs with the packages of the Go checksum database, which know nothing of action logs.
    package main

    import (
    	"bytes"
    	"encoding/base64"
    	"fmt"
    	"log"
    	"os"
    	"path/filepath"
    	"sort"
    	"strconv"
    	"strings"

    	"golang.org/x/mod/sumdb/note"
    	"golang.org/x/mod/sumdb/tlog"
    )

    func must[T any](value T, err error) T {
    	if err != nil {
    		log.Fatal(err)
    	}
    	return value
    }

    func check(what string, err error) {
    	if err != nil {
    		log.Fatalf("%s: %v", what, err)
    	}
    }

    // The text of a checkpoint: origin, size, root.
    func parse(text string) tlog.Tree {
    	lines := strings.Split(text, "\n")
    	if len(lines) != 4 || lines[3] != "" {
    		log.Fatal("the checkpoint has not three lines")
    	}
    	return tlog.Tree{N: must(strconv.ParseInt(lines[1], 10, 64)), Hash: must(tlog.ParseHash(lines[2]))}
    }

    // The hashes up to an empty line, and what follows it.
    func hashes(lines []string) ([]tlog.Hash, string) {
    	for i, line := range lines {
    		if line == "" {
    			var found []tlog.Hash
    			for _, line := range lines[:i] {
    				found = append(found, must(tlog.ParseHash(line)))
    			}
    			return found, strings.Join(lines[i+1:], "\n")
    		}
    	}
    	log.Fatal("the proof has no empty line")
    	return nil, ""
    }

    func plainEntry(line []byte) []byte { return line[:len(line)-len(`,"crc":"xxxxxxxx"}`)] }

    // Tiles of height 8 in files.
    type tiles struct {
    	folder string
    	read   map[string]bool
    }

    func (tiles) Height() int                     { return 8 }
    func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
    func (t tiles) ReadTiles(wanted []tlog.Tile) (data [][]byte, err error) {
    	for _, tile := range wanted {
    		// C2SP paths have no height.
    		path := "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
    		bytes, err := os.ReadFile(filepath.Join(t.folder, path))
    		if err != nil {
    			return nil, err
    		}
    		t.read[path] = true
    		data = append(data, bytes)
    	}
    	return data, nil
    }

    func main() {
    	folder, key, proofs := os.Args[1], os.Args[2], os.Args[3:]
    	verifiers := note.VerifierList(must(note.NewVerifier(key)))
    	open := func(bytes []byte) tlog.Tree {
    		signed := must(note.Open(bytes, verifiers))
    		if len(signed.Sigs) != 1 || len(signed.UnverifiedSigs) != 0 {
    			log.Fatal("the checkpoint has not one signature")
    		}
    		return parse(signed.Text)
    	}
    	tree := open(must(os.ReadFile(filepath.Join(folder, "proofs/checkpoint"))))

    	// The tree from the entries: of a log without salts the lines before their checksums.
    	var entries [][]byte
    	segments := must(filepath.Glob(filepath.Join(folder, "0*.jsonl")))
    	sort.Strings(segments)
    	for _, segment := range segments {
    		lines := bytes.TrimSuffix(must(os.ReadFile(segment)), []byte("\n"))
    		for _, line := range bytes.Split(lines, []byte("\n")) {
    			entries = append(entries, plainEntry(line))
    		}
    	}
    	var stored []tlog.Hash
    	fromEntries := tlog.HashReaderFunc(func(indexes []int64) (found []tlog.Hash, err error) {
    		for _, index := range indexes {
    			found = append(found, stored[index])
    		}
    		return found, nil
    	})
    	for index, entry := range entries {
    		stored = append(stored, must(tlog.StoredHashes(int64(index), entry, fromEntries))...)
    	}
    	if root := must(tlog.TreeHash(tree.N, fromEntries)); root != tree.Hash || tree.N != int64(len(entries)) {
    		log.Fatalf("%d lines have the root %v, and the checkpoint of %d lines %v", len(entries), root, tree.N, tree.Hash)
    	}

    	// The same from tiles, which the reader compares with the root.
    	reader := tiles{filepath.Join(folder, "proofs"), map[string]bool{}}
    	fromTiles := tlog.TileHashReader(tree, reader)
    	for index, entry := range entries {
    		proof := must(tlog.ProveRecord(tree.N, int64(index), fromTiles))
    		check("a record proof", tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)))
    	}
    	checkpoints := must(filepath.Glob(filepath.Join(folder, "proofs/checkpoints/*")))
    	for _, path := range checkpoints {
    		older := open(must(os.ReadFile(path)))
    		if root := must(tlog.TreeHash(older.N, fromTiles)); root != older.Hash {
    			log.Fatalf("the tiles have another root than %s", path)
    		}
    		proof := must(tlog.ProveTree(tree.N, older.N, fromTiles))
    		check("a tree proof", tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash))
    	}

    	// The proofs in files.
    	records, trees := 0, 0
    	for _, path := range proofs {
    		text := strings.Split(string(must(os.ReadFile(path))), "\n")
    		if text[0] == "c2sp.org/tlog-proof@v1" {
    			line := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(text[1], "extra ")))
    			index := must(strconv.ParseInt(strings.TrimPrefix(text[2], "index "), 10, 64))
    			path, rest := hashes(text[3:])
    			tree := open([]byte(rest))
    			if !bytes.Equal(plainEntry(line), entries[index]) {
    				log.Fatal("the proof has another line")
    			}
    			check("the proof of a line", tlog.CheckRecord(path, tree.N, tree.Hash, index, tlog.RecordHash(entries[index])))
    			records++
    			continue
    		}
    		old := must(strconv.ParseInt(strings.TrimPrefix(text[0], "old "), 10, 64))
    		older := open(must(os.ReadFile(filepath.Join(folder, fmt.Sprintf("proofs/checkpoints/%016d", old)))))
    		path, rest := hashes(text[1:])
    		tree := open([]byte(rest))
    		check("the proof of a tree", tlog.CheckTree(path, tree.N, tree.Hash, older.N, older.Hash))
    		trees++
    	}
    	fmt.Printf("%d lines, %d tiles, %d checkpoints, %d record proofs, %d tree proofs\n",
    		len(entries), len(reader.read), len(checkpoints), records, trees)
    }

    """#
}
