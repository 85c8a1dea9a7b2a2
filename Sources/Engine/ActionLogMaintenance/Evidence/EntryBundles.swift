import ActionLog
import Platform

/// Builds the bundles of entries of C2SP tlog-tiles: up to 256 entries in the order of the log, each after its length in two bytes,
/// highest first.
///
/// With them, a mirror can make the tree without the log. They give nothing away that was redacted: the entry of a salted line has
/// a commitment in place of its content.
struct EntryBundleBuilder {
  static let entryLimitBytes = Int(UInt16.max)
  static let limitBytes = MerkleTile.fullWidth * (entryLimitBytes + 2)

  private(set) var size: Int
  /// The bytes after the last full bundle.
  private var bytes: [UInt8] = []

  init() { size = 0 }

  /// Creates a builder that continues the bundles in files; `nil` if the last ones are missing, or do not fit the tiles.
  ///
  /// - Parameter firstIndex: The index of the first line of the log. Bundles before it may have been removed.
  init?(
    size: Int, after firstIndex: Int, in directory: String, tiles: inout MerkleTileReader,
    _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    self.size = size
    let (index, width) = (size / MerkleTile.fullWidth, size % MerkleTile.fullWidth)
    do throws(FileSystemError) {
      // An earlier bundle is missing only if it was removed by hand; a rebuild makes it again.
      if index > firstIndex / MerkleTile.fullWidth,
        try fileSystem.status(of: directory + "/" + MerkleTile(level: nil, index: index - 1).path) == nil
      {
        return nil
      }
      guard width > 0 else { return }
      let path = directory + "/" + MerkleTile(level: nil, index: index, width: width).path
      bytes = try fileSystem.contents(of: path, limitBytes: Self.limitBytes)
    } catch {
      switch error.code {
      case .notFound, .notADirectory, .notARegularFile, .fileTooLarge: return nil
      default: throw LogError.files(error, "the entries in the proofs of the log cannot be read")
      }
    }
    guard
      Self.leaves(bytes)?.elementsEqual(try tiles.tile(level: 0, index: index, atLeast: width).prefix(width)) == true
    else { return nil }
  }

  /// Returns the hashes of the entries in a bundle; `nil` if the bytes are none.
  private static func leaves(_ bytes: [UInt8]) -> [SHA256Digest]? {
    var leaves: [SHA256Digest] = []
    var start = 0
    while start < bytes.count {
      guard bytes.count - start >= 2, case let end = start + 2 + Int(bytes[start]) << 8 + Int(bytes[start + 1]),
        end <= bytes.count
      else { return nil }
      leaves.append(bytes[(start + 2)..<end].withUnsafeBytes { entry in MerkleHash.leaf(entry) })
      start = end
    }
    return leaves
  }

  /// Adds the entry of a line.
  ///
  /// - Returns: The bundle that it fills.
  mutating func append(
    _ entry: [UInt8], of position: EvidenceEdge
  ) throws(LogError) -> (name: MerkleTile, bytes: [UInt8])? {
    guard entry.count <= Self.entryLimitBytes else {
      throw LogError(
        .beyondLimit,
        "line \(size) has \(entry.count) bytes in the tree, and a bundle of entries takes lines of at most "
          + "\(Self.entryLimitBytes)", line: position.line, revision: position.revision,
        intact: "No checkpoint was changed.", advice: "Make the checkpoint without \(.option("entries")).")
    }
    bytes += [UInt8(entry.count >> 8), UInt8(entry.count & 0xFF)] + entry
    size += 1
    guard size.isMultiple(of: MerkleTile.fullWidth) else { return nil }
    defer { bytes.removeAll() }
    return (MerkleTile(level: nil, index: size / MerkleTile.fullWidth - 1), bytes)
  }

  var partial: (name: MerkleTile, bytes: [UInt8])? { Self.partialBundle(size: size).map { name in (name, bytes) } }

  /// Returns the name of the bundle of a tree that is not full; `nil` if all are.
  static func partialBundle(size: Int) -> MerkleTile? {
    let width = size % MerkleTile.fullWidth
    return width > 0 ? MerkleTile(level: nil, index: size / MerkleTile.fullWidth, width: width) : nil
  }
}
