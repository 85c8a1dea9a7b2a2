import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

/// The definitions of RFC 6962, section 2.1, as they are written there.
private enum Definition {
  static func root(_ leaves: ArraySlice<SHA256Digest>) -> SHA256Digest {
    guard let first = leaves.first else { return SHA256Digest(SHA256.hash([]))! }
    if leaves.count == 1 { return first }
    let middle = leaves.startIndex + half(leaves.count)
    return node(root(leaves[..<middle]), root(leaves[middle...]))
  }

  static func path(_ index: Int, _ leaves: ArraySlice<SHA256Digest>) -> [SHA256Digest] {
    if leaves.count <= 1 { return [] }
    let middle = half(leaves.count)
    let (left, right) = (leaves.prefix(middle), leaves.dropFirst(middle))
    return index < middle ? path(index, left) + [root(right)] : path(index - middle, right) + [root(left)]
  }

  static func proof(_ old: Int, _ leaves: ArraySlice<SHA256Digest>, isKnown: Bool = true) -> [SHA256Digest] {
    if old == leaves.count { return isKnown ? [] : [root(leaves)] }
    let middle = half(leaves.count)
    let (left, right) = (leaves.prefix(middle), leaves.dropFirst(middle))
    return old <= middle
      ? proof(old, left, isKnown: isKnown) + [root(right)] : proof(old - middle, right, isKnown: false) + [root(left)]
  }

  static func half(_ count: Int) -> Int {
    var half = 1
    while half * 2 < count { half *= 2 }
    return half
  }

  static func node(_ left: SHA256Digest, _ right: SHA256Digest) -> SHA256Digest {
    SHA256Digest(SHA256.hash([1] + left.bytes + right.bytes))!
  }
}

private func leaf(_ text: String) -> SHA256Digest {
  Array(text.utf8).withUnsafeBytes { bytes in MerkleHash.leaf(bytes) }
}

private func bytes(hexadecimal text: String) throws -> [UInt8] {
  try stride(from: 0, to: text.utf8.count, by: 2).map { start in
    try #require(UInt8(text.dropFirst(start).prefix(2), radix: 16))
  }
}

/// The leaves of `tiles/seventy-thousand.json`.
private let manyLeaves = (0..<70_000).map { number in leaf("leaf \(number)") }

@Suite("Merkle tree")
struct MerkleTreeTests {
  @Test func everySizeTo300MatchesTheDefinition() throws {
    let leaves = Array(manyLeaves[..<300])
    var tree = MerkleLeaves(leaves)
    var accumulator = MerkleAccumulator()
    for size in 0...300 {
      let root = Definition.root(leaves[..<size])
      #expect(accumulator.root == root, "size \(size)")
      #expect(try tree.accumulator(size: size) == accumulator)
      #expect(MerkleAccumulator(size: size, subtrees: accumulator.subtrees) == accumulator)
      // All lines of small trees, and some of each size.
      for index in stride(from: 0, to: size, by: size < 70 ? 1 : 11) {
        let path = try tree.inclusionProof(index: index, size: size)
        #expect(
          MerkleProof.isIncluded(leaves[index], at: index, path: path, size: size, root: root), "\(index) of \(size)")
        if size < 70 || index % 5 == 0 {
          #expect(path == Definition.path(index, leaves[..<size]), "\(index) of \(size)")
        }
      }
      for old in stride(from: 1, to: size, by: size < 70 ? 1 : 11) {
        let proof = try tree.consistencyProof(old: old, size: size)
        #expect(
          MerkleProof.isConsistent(
            oldSize: old, oldRoot: try tree.root(size: old), size: size, root: root, proof: proof), "\(old) to \(size)")
        if size < 70 || old % 5 == 0 { #expect(proof == Definition.proof(old, leaves[..<size]), "\(old) to \(size)") }
      }
      if size < 300 { accumulator.append(leaves[size]) }
    }
  }

  /// Every other index, size and hash is refused.
  @Test func proofsHoldForNothingElse() throws {
    for size in 1...20 {
      var tree = MerkleLeaves(Array(manyLeaves[..<size]))
      let root = try tree.root(size: size)
      for index in 0..<size {
        let path = try tree.inclusionProof(index: index, size: size)
        for other in -1...size + 1 where other != index {
          #expect(!MerkleProof.isIncluded(manyLeaves[index], at: other, path: path, size: size, root: root))
        }
        for changed in changes(of: path) {
          #expect(!MerkleProof.isIncluded(manyLeaves[index], at: index, path: changed, size: size, root: root))
        }
        #expect(!MerkleProof.isIncluded(manyLeaves[index + 1], at: index, path: path, size: size, root: root))
      }
      for old in 1..<size {
        let oldRoot = try tree.root(size: old)
        let proof = try tree.consistencyProof(old: old, size: size)
        for changed in changes(of: proof) {
          #expect(
            !MerkleProof.isConsistent(oldSize: old, oldRoot: oldRoot, size: size, root: root, proof: changed))
        }
        #expect(!MerkleProof.isConsistent(oldSize: old, oldRoot: root, size: size, root: root, proof: proof))
      }
    }
  }

  /// Returns proofs with a hash changed, removed or added, or with two hashes exchanged.
  private func changes(of hashes: [SHA256Digest]) -> [[SHA256Digest]] {
    var changes = [hashes + [leaf("more")], [leaf("more")] + hashes]
    for index in hashes.indices {
      var changed = hashes
      changed[index] = leaf("other")
      changes.append(changed)
      changed.remove(at: index)
      changes.append(changed)
      if index > 0 {
        changed = hashes
        changed.swapAt(index - 1, index)
        changes.append(changed)
      }
    }
    return changes
  }

  struct Reference: Decodable {
    struct Hash: Decodable {
      var of: String?
      var leaf: String?
      var node: [String]?
      var hash: String
    }
    var leaves: [String]
    var levels: [[String]]
    var roots: [String]
    var hashes: [Hash]
  }

  @Test func referenceHashesOfTransparencyDev() throws {
    let reference = try Vectors.decode(Reference.self, "outside/rfc6962.json", of: "Evidence")
    let leaves = try reference.leaves.map { text in
      try bytes(hexadecimal: text).withUnsafeBytes { bytes in MerkleHash.leaf(bytes) }
    }
    let tree = MerkleLeaves(leaves)
    var accumulator = MerkleAccumulator()
    for (size, root) in reference.roots.enumerated() {
      #expect(accumulator.root.hexadecimal == root)
      if size < leaves.count { accumulator.append(leaves[size]) }
    }
    for (level, hashes) in reference.levels.enumerated() {
      for (index, hash) in hashes.enumerated() {
        #expect(try tree.hash(level: level, index: index).hexadecimal == hash)
      }
    }
    for hash in reference.hashes {
      if let entry = hash.leaf {
        let entry = try bytes(hexadecimal: entry)
        #expect(entry.withUnsafeBytes { bytes in MerkleHash.leaf(bytes) }.hexadecimal == hash.hash)
      } else if let node = hash.node {
        // These nodes have children of four bytes.
        let children = try bytes(hexadecimal: node.joined())
        #expect(SHA256.hexadecimal([1] + children) == hash.hash)
      } else {
        #expect(MerkleHash.emptyRoot.hexadecimal == hash.hash)
      }
    }
  }

  struct InclusionProbe: Decodable {
    var leafIdx: UInt64
    var treeSize: UInt64
    var root: String
    var leafHash: String
    var proof: [String]?
    var desc: String
    var wantErr: Bool
    var file: String
  }

  @Test func inclusionProbesOfTransparencyDev() throws {
    let probes = try Vectors.decode([InclusionProbe].self, "outside/inclusion.json", of: "Evidence")
    #expect(probes.count == 98)
    for probe in probes {
      let path = (probe.proof ?? []).map { text in Base64.digest(text.utf8) }
      var isIncluded = false
      if let index = Int(exactly: probe.leafIdx), let size = Int(exactly: probe.treeSize),
        let leaf = Base64.digest(probe.leafHash.utf8), let root = Base64.digest(probe.root.utf8),
        !path.contains(nil)
      {
        isIncluded = MerkleProof.isIncluded(leaf, at: index, path: path.compactMap(\.self), size: size, root: root)
      }
      #expect(isIncluded == !probe.wantErr, "\(probe.file)")
    }
  }

  struct ConsistencyProbe: Decodable {
    var size1: UInt64
    var size2: UInt64
    var root1: String
    var root2: String
    var proof: [String]?
    var wantErr: Bool
    var file: String
  }

  @Test func consistencyProbesOfTransparencyDev() throws {
    let probes = try Vectors.decode([ConsistencyProbe].self, "outside/consistency.json", of: "Evidence")
    #expect(probes.count == 98)
    for probe in probes {
      let proof = (probe.proof ?? []).map { text in Base64.digest(text.utf8) }
      var isConsistent = false
      if let old = Int(exactly: probe.size1), let size = Int(exactly: probe.size2), !proof.contains(nil) {
        // Some roots are not hashes; they are compared as they are.
        let roots = [probe.root1, probe.root2].map { text in Base64.digest(text.utf8) ?? leaf(text) }
        isConsistent = MerkleProof.isConsistent(
          oldSize: old, oldRoot: roots[0], size: size, root: roots[1], proof: proof.compactMap(\.self))
      }
      #expect(isConsistent == !probe.wantErr, "\(probe.file)")
    }
  }
}

@Suite("Merkle tiles")
struct MerkleTileTests {
  private static let directory = "/proofs"

  /// Writes the tiles of a tree.
  private static func files(_ leaves: ArraySlice<SHA256Digest>) throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    func write(_ tile: MerkleTile, _ hashes: [SHA256Digest]) throws {
      let path = directory + "/" + tile.path
      var made = ""
      for name in path.split(separator: "/").dropLast() {
        made += "/" + name
        if try files.status(of: made) == nil { try files.createDirectory(made) }
      }
      try files.setContents(hashes.flatMap(\.bytes), of: path)
    }
    var builder = MerkleTileBuilder()
    var full: [(MerkleTile, [SHA256Digest])] = []
    for leaf in leaves {
      try builder.append(leaf) { tile, hashes in full.append((tile, hashes)) }
    }
    for (tile, hashes) in full { try write(tile, hashes) }
    for (tile, hashes) in builder.partialTiles { try write(tile, hashes) }
    return files
  }

  struct Tree: Decodable {
    var roots: [String: String]
    var tiles: [String: String]
    var inclusion: [String: [String]]
    var consistency: [String: [String]]
  }

  @Test func threeLevelsOfTilesMatchTheVectors() throws {
    let vector = try Vectors.decode(Tree.self, "tiles/seventy-thousand.json", of: "Evidence")
    let files = try Self.files(manyLeaves[...])
    for (path, hash) in vector.tiles {
      #expect(SHA256.hexadecimal(try files.contents(of: Self.directory + "/" + path)) == hash, "\(path)")
    }
    var reader = MerkleTileReader(directory: Self.directory, size: 70_000, fileSystem: files)
    for (size, root) in vector.roots {
      #expect(Base64.text(try reader.root(size: try #require(Int(size)))) == root, "size \(size)")
    }
    for (index, path) in vector.inclusion {
      let found = try reader.inclusionProof(index: try #require(Int(index)), size: 70_000)
      #expect(found.map { hash in Base64.text(hash) } == path, "line \(index)")
    }
    for (old, proof) in vector.consistency {
      let found = try reader.consistencyProof(old: try #require(Int(old)), size: 70_000)
      #expect(found.map { hash in Base64.text(hash) } == proof, "from \(old)")
    }
  }

  @Test(arguments: [0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 70_000])
  func buildersContinueFromTiles(size: Int) throws {
    let files = try Self.files(manyLeaves[..<size])
    let reader = MerkleTileReader(directory: Self.directory, size: size, fileSystem: files)
    var continued = try MerkleTileBuilder(reader)
    var tree = MerkleAccumulator()
    for leaf in manyLeaves[..<size] { tree.append(leaf) }
    #expect(continued.accumulator == tree)
    for leaf in manyLeaves.prefix(600) {
      try continued.append(leaf) { _, _ in }
      tree.append(leaf)
    }
    #expect(continued.accumulator == tree)
  }

  struct Paths: Decodable {
    struct Path: Decodable {
      var level: String
      var index: Int
      var width: Int
      var path: String

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        level = try container.decode(String.self)
        index = try container.decode(Int.self)
        width = try container.decode(Int.self)
        path = try container.decode(String.self)
      }
    }
    struct Counts: Decodable {
      var size: Int
      var level0: [Int]
      var level1: [Int]
      var level2: [Int]
    }
    struct FormatTree: Decodable {
      var size: Int
      var leaf: String
      var text: String
    }
    var tilePaths: [Path]
    var badTilePaths: [String]
    var tileCounts: Counts
    var formatTree: FormatTree
    var badKeys: [String]
  }

  static func vectors() throws -> Paths { try Vectors.decode(Paths.self, "outside/tlog.json", of: "Evidence") }

  @Test func pathsMatchTheVectors() throws {
    let vectors = try Self.vectors()
    for vector in vectors.tilePaths {
      // Bundles of entries have no level.
      guard let level = Int(vector.level) else {
        #expect(MerkleTile(path: vector.path) == nil)
        continue
      }
      let tile = MerkleTile(level: level, index: vector.index, width: vector.width)
      #expect(tile.path == vector.path)
      #expect(MerkleTile(path: vector.path) == tile)
    }
    for path in vectors.badTilePaths + [
      "tile/0/9223372036854775807", "tile/0", "tile", "", "tile/0/-01", "tile/+0/000",
    ] {
      #expect(MerkleTile(path: path) == nil, "\(path)")
    }
    let counts = vectors.tileCounts
    let partial = MerkleTile.partialTiles(size: counts.size)
    for (level, count) in [counts.level0, counts.level1, counts.level2].enumerated() {
      #expect(
        partial.first { tile in tile.level == level } == MerkleTile(level: level, index: count[0], width: count[1]))
    }
  }

  @Test func missingAndShortTilesAreReported() throws {
    let files = try Self.files(manyLeaves[..<700])
    let path = Self.directory + "/tile/0/001"
    var bytes = try files.contents(of: path)
    bytes.removeLast()
    try files.setContents(bytes, of: path)
    var reader = MerkleTileReader(directory: Self.directory, size: 700, fileSystem: files)
    let error = #expect(throws: LogError.self) { try reader.inclusionProof(index: 300, size: 700) }
    #expect(error?.message == "the tile tile/0/001 is missing or has a wrong length")
    try files.remove(Self.directory + "/tile/0/002.p/188")
    reader = MerkleTileReader(directory: Self.directory, size: 700, fileSystem: files)
    #expect(throws: LogError.self) { try reader.inclusionProof(index: 650, size: 700) }
  }

  /// Tiles of a larger tree serve for a smaller one.
  @Test func widerTilesAreUsed() throws {
    var leaves = MerkleLeaves(Array(manyLeaves[..<700]))
    let files = try Self.files(manyLeaves[..<700])
    for size in [520, 600, 699] {
      var reader = MerkleTileReader(directory: Self.directory, size: size, fileSystem: files)
      #expect(try reader.root(size: size) == leaves.root(size: size))
      #expect(try reader.inclusionProof(index: 515, size: size) == leaves.inclusionProof(index: 515, size: size))
    }
  }

  struct Tessera: Decodable {
    var vkey: String
    var checkpoints: [String]
    var tiles: [String: String]
    var entries: [String: String]
  }

  @Test func checkpointsAndTilesOfTesseraFit() throws {
    let log = try Vectors.decode(Tessera.self, "outside/tessera-log.json", of: "Evidence")
    let files = MemoryFileSystem()
    for path in ["/proofs", "/proofs/tile", "/proofs/tile/0", "/proofs/tile/0/000.p"] {
      try files.createDirectory(path)
    }
    for (path, hashes) in log.tiles { try files.setContents(try bytes(hexadecimal: hashes), of: "/proofs/" + path) }
    let key = try NoteKey(verifierKey: log.vkey)
    #expect(log.checkpoints.count == 16)
    for text in log.checkpoints {
      let signed = try SignedCheckpoint(parsing: text.utf8)
      #expect(String(decoding: signed.encoded, as: UTF8.self) == text)
      #expect(signed.note.signatures.map(\.keyID) == [key.keyID])
      let checkpoint = signed.checkpoint
      var reader = MerkleTileReader(directory: "/proofs", size: checkpoint.size, fileSystem: files)
      #expect(try reader.root(size: checkpoint.size) == checkpoint.root, "size \(checkpoint.size)")
    }
    // An entry of a bundle is preceded by its length in two bytes.
    for (path, bundle) in log.entries {
      let tile = try #require(MerkleTile(path: path.replacing("/entries/", with: "/0/")))
      var rest = try bytes(hexadecimal: bundle)[...]
      var leaves: [SHA256Digest] = []
      while let high = rest.popFirst(), let low = rest.popFirst() {
        let entry = Array(rest.prefix(Int(high) << 8 | Int(low)))
        rest = rest.dropFirst(entry.count)
        leaves.append(entry.withUnsafeBytes { entry in MerkleHash.leaf(entry) })
      }
      #expect(leaves.count == tile.width)
      let stored = try files.contents(of: "/proofs/" + tile.path)
      #expect(leaves.flatMap(\.bytes) == stored)
    }
  }
}
