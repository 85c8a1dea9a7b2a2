package import ActionLog
package import Platform

// Tiles of C2SP tlog-tiles: a tile holds up to 256 hashes of one level of the Merkle tree, which are the complete subtrees of 256ⁿ
// leaves at level n of the tiles. A tile that is not full is stored under a name of its own, with its width.

/// The name of a tile.
package struct MerkleTile: Hashable, Sendable {
  package static let fullWidth = 256
  /// The binary logarithm of ``fullWidth``: the number of levels of the tree in a tile.
  static let height = 8
  /// The levels: enough for 2⁶³ leaves. C2SP allows 64.
  package static let levelLimit = 64
  /// The size of the file of a full tile.
  static let limitBytes = fullWidth * SHA256Digest.byteCount

  /// The level, 0 for the leaves.
  package var level: Int
  /// The index among the tiles of its level.
  package var index: Int
  /// The number of hashes, 1…256.
  package var width: Int

  package init(level: Int, index: Int, width: Int = fullWidth) {
    self.level = level
    self.index = index
    self.width = width
  }

  package var sizeBytes: Int { width * SHA256Digest.byteCount }

  /// The contents of the file of a tile.
  static func bytes(of hashes: [SHA256Digest]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: hashes.count * SHA256Digest.byteCount) { memory, count in
      for hash in hashes {
        hash.withUnsafeBytes { bytes in
          UnsafeMutableRawBufferPointer(memory)[count..<count + bytes.count].copyBytes(from: bytes)
        }
        count += SHA256Digest.byteCount
      }
    }
  }

  /// The directory of the path: `tile/0/x001/x234`.
  package var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

  /// The path: `tile/0/x001/x234/067`, with `.p/` and the width unless the tile is full.
  package var path: String { width == Self.fullWidth ? fullPath : "\(fullPath).p/\(width)" }

  private var fullPath: String {
    var groups = [Self.digits(index % 1_000)]
    var rest = index / 1_000
    while rest > 0 {
      groups.append("x" + Self.digits(rest % 1_000))
      rest /= 1_000
    }
    return "tile/\(level)/" + groups.reversed().joined(separator: "/")
  }

  private static func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: 3 - text.count) + text
  }

  /// Whether a name can be that of a directory with tiles: a level, three digits after an `x`, or a tile that is not full.
  static func isDirectory(_ name: String) -> Bool {
    name.hasSuffix(".p") || name.hasPrefix("x") || Int(name) != nil
  }

  /// Parses a path; `nil` unless it is exactly the path of a tile.
  package init?(path: String) {
    // 2⁶³ has 19 digits: seven groups, two names before and two after them.
    guard path.utf8.count <= 64 else { return nil }
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard parts.popFirst() == "tile", let name = parts.popFirst() else { return nil }
    var width = Self.fullWidth
    if parts.count >= 2, let partial = parts.dropLast().last, partial.hasSuffix(".p"), let text = parts.popLast() {
      guard let number = Int(text), (1..<Self.fullWidth).contains(number) else { return nil }
      width = number
      parts[parts.endIndex - 1] = partial.dropLast(2)
    }
    let groups = parts.map { group in group.hasPrefix("x") ? group.dropFirst() : group }
    guard let index = Int(groups.joined()), index >= 0, let level = Int(name), (0..<Self.levelLimit).contains(level)
    else { return nil }
    self.init(level: level, index: index, width: width)
    // Refuses signs, missing digits and other spellings of the same tile.
    guard self.path == path else { return nil }
  }

  /// Returns the width of a tile in the tree of a size; 0 if it is not in it.
  static func width(level: Int, index: Int, size: Int) -> Int {
    let shift = level * height
    guard shift < Int.bitWidth - 1 else { return 0 }
    let count = size >> shift
    guard index < count / fullWidth else { return index == count / fullWidth ? count % fullWidth : 0 }
    return fullWidth
  }

  /// Returns the tiles of the tree of a size that are not full, the lowest level first.
  package static func partialTiles(size: Int) -> [MerkleTile] {
    var tiles: [MerkleTile] = []
    var level = 0
    var count = size
    while count > 0 {
      if count % fullWidth > 0 {
        tiles.append(MerkleTile(level: level, index: count / fullWidth, width: count % fullWidth))
      }
      count /= fullWidth
      level += 1
    }
    return tiles
  }
}

/// A builder of tiles: the part of the tree that is not in full tiles.
package struct MerkleTileBuilder: Sendable {
  package private(set) var size: Int
  /// The hashes after the last full tile of each level: fewer than 256.
  private var levels: [[SHA256Digest]]

  package init() {
    size = 0
    levels = [[]]
  }

  /// Creates a builder that continues a tree in tiles.
  package init(_ tiles: MerkleTileReader) throws(LogError) {
    var tiles = tiles
    size = tiles.size
    levels = [[]]
    for tile in MerkleTile.partialTiles(size: size) {
      while levels.count <= tile.level { levels.append([]) }
      levels[tile.level] = Array(
        try tiles.tile(level: tile.level, index: tile.index, atLeast: tile.width)[..<tile.width])
    }
    // Above a level without a partial tile there can be one with a partial tile, but none without full tiles below it.
    while size >> (MerkleTile.height * levels.count) > 0 { levels.append([]) }
  }

  /// Adds a leaf, and passes on every tile that it fills.
  package mutating func append(
    _ leaf: SHA256Digest, emit: (MerkleTile, [SHA256Digest]) throws(LogError) -> Void
  ) throws(LogError) {
    levels[0].append(leaf)
    size += 1
    var level = 0
    while levels[level].count == MerkleTile.fullWidth {
      let index = size >> (MerkleTile.height * (level + 1)) - 1
      try emit(MerkleTile(level: level, index: index), levels[level])
      if levels.count == level + 1 { levels.append([]) }
      levels[level + 1].append(MerkleHash.root(ofComplete: levels[level][...]))
      levels[level].removeAll(keepingCapacity: true)
      level += 1
    }
  }

  /// The tiles that are not full, the lowest level first.
  package var partialTiles: [(tile: MerkleTile, hashes: [SHA256Digest])] {
    MerkleTile.partialTiles(size: size).map { tile in (tile, levels[tile.level]) }
  }

  /// The complete subtrees of the tree, the largest first.
  package var accumulator: MerkleAccumulator {
    var subtrees: [SHA256Digest] = []
    for hashes in levels.reversed() {
      var rest = hashes[...]
      while !rest.isEmpty {
        let count = 1 << (Int.bitWidth - 1 - rest.count.leadingZeroBitCount)
        subtrees.append(MerkleHash.root(ofComplete: rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
    }
    return MerkleAccumulator(size: size, subtrees: subtrees) ?? MerkleAccumulator()
  }
}

/// The hashes of a tree in tiles on disk. Tiles that were read are kept.
///
/// The hashes are as good as the files: a caller compares the root with a known one, or verifies the proof.
package struct MerkleTileReader: MerkleHashes {
  package let directory: String
  /// The size of the tree in the tiles.
  package let size: Int
  private let fileSystem: any LogFileSystem
  private var kept: [MerkleTile: [SHA256Digest]] = [:]

  /// 1,024 tiles: 8 MiB. One proof needs fewer than twenty.
  private static let keptLimit = 1_024

  package init(directory: String, size: Int, fileSystem: any LogFileSystem) {
    self.directory = directory
    self.size = size
    self.fileSystem = fileSystem
  }

  package mutating func hash(level: Int, index: Int) throws(LogError) -> SHA256Digest {
    let tileLevel = level / MerkleTile.height
    let inner = level % MerkleTile.height
    let first = index << inner
    let offset = first % MerkleTile.fullWidth
    let end = offset + (1 << inner)
    let hashes = try tile(level: tileLevel, index: first / MerkleTile.fullWidth, atLeast: end)
    return MerkleHash.root(ofComplete: hashes[offset..<end])
  }

  package mutating func tile(level: Int, index: Int, atLeast count: Int) throws(LogError) -> [SHA256Digest] {
    let key = MerkleTile(level: level, index: index)
    if let hashes = kept[key], hashes.count >= count { return hashes }
    let width = MerkleTile.width(level: level, index: index, size: size)
    let hashes = try read(MerkleTile(level: level, index: index, width: max(width, count)), atLeast: count)
    if kept.count >= Self.keptLimit { kept.removeAll() }
    kept[key] = hashes
    return hashes
  }

  /// Reads a tile, or a wider one of the same index, which begins with the same hashes.
  private func read(_ tile: MerkleTile, atLeast count: Int) throws(LogError) -> [SHA256Digest] {
    if let hashes = try Self.contents(of: tile, directory, fileSystem) { return hashes }
    for wider in try widerTiles(than: tile, atLeast: count) {
      if let hashes = try Self.contents(of: wider, directory, fileSystem) { return hashes }
    }
    throw LogError(
      .damaged, "the tile \(tile.path) is missing or has a wrong length", path: directory,
      advice: "\(.rebuildingCheckpoints) makes it again.")
  }

  /// Returns the full tile, and the partial ones on disk, the widest first.
  private func widerTiles(than tile: MerkleTile, atLeast count: Int) throws(LogError) -> [MerkleTile] {
    guard tile.width < MerkleTile.fullWidth else { return [] }
    let full = MerkleTile(level: tile.level, index: tile.index)
    let names: [String]
    do throws(FileSystemError) {
      names = try fileSystem.names(in: directory + "/" + tile.directory)
    } catch {
      guard error.code != .notFound, error.code != .notADirectory else { return [full] }
      throw LogError.files(error, "the tiles cannot be read")
    }
    let widths = names.compactMap { name in Int(name) }.filter { width in
      (count..<MerkleTile.fullWidth).contains(width) && width != tile.width
    }
    return [full] + widths.sorted(by: >).map { width in MerkleTile(level: tile.level, index: tile.index, width: width) }
  }

  /// Returns the hashes in the file of a tile; `nil` if it is missing or has another length.
  static func contents(
    of tile: MerkleTile, _ directory: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> [SHA256Digest]? {
    let bytes = try bytes(of: tile, directory, fileSystem, limitBytes: tile.sizeBytes)
    guard let bytes, bytes.count == tile.sizeBytes else { return nil }
    return stride(from: 0, to: bytes.count, by: SHA256Digest.byteCount).compactMap { start in
      SHA256Digest(bytes[start..<start + SHA256Digest.byteCount])
    }
  }

  /// Returns the contents of the file of a tile; `nil` if it is missing or longer.
  static func bytes(
    of tile: MerkleTile, _ directory: String, _ fileSystem: any LogFileSystem, limitBytes: Int
  ) throws(LogError) -> [UInt8]? {
    let path = directory + "/" + tile.path
    do throws(FileSystemError) { return try fileSystem.contents(of: path, limitBytes: limitBytes) } catch {
      switch error.code {
      case .notFound, .notADirectory, .notARegularFile, .fileTooLarge: return nil
      default: throw LogError.files(error, "the tile \(tile.path) cannot be read", path: path)
      }
    }
  }
}
