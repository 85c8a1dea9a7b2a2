import ActionLog
import EventSourcing
import JSONCoding
import Platform

/// An index of the values that the actions of a log changed: for each block of actions the marks of the changes (``ChangeTracker``).
///
/// A question about a value skips the blocks without its marks. A block can have the marks of a value that did not change, but never
/// lacks those of one that did. The other blocks are folded and compared as without an index, so it changes no answer
/// about an intact log. Damage in a block that is skipped is not noticed.
///
/// The file is derived and can be removed. It is used only by code with the same fingerprint for the same log: both are hashed into its name
/// and its first line, and the checksum chain of the log ties the actions to the checksum of the last one. A file whose own checksum is
/// wrong is not used.
struct ChangeIndex: Sendable {
  /// The actions after a multiple of ``length``, up to the next one or the end of the index.
  struct Block: Sendable, Equatable {
    var start: Int
    var end: Int
    var checksum: UInt32
    /// Ascending.
    var marks: [ChangeMark]
  }

  let length: Int
  private(set) var blocks: [Block] = []
  private(set) var actionsAdded = 0

  init(length: Int) { self.length = length }

  var start: Int? { blocks.first?.start }
  var end: Int { blocks.last?.end ?? 0 }

  /// Returns the newest range in which a value may have changed; `nil` if that is unknown.
  ///
  /// - Returns: The revisions before and after the actions of the range. Without such a block only the first revision.
  func newestRange(with marks: [ChangeMark], from first: Int, upTo revision: Int) -> ClosedRange<Int>? {
    guard let start, start <= first, revision <= end else { return nil }
    let newest = blocks.last { block in
      block.start < revision && block.end > first && block.marks.contains { mark in marks.contains(mark) }
    }
    return newest.map { block in max(first, block.start)...min(block.end, revision) } ?? first...first
  }

  mutating func append(_ block: Block) {
    actionsAdded += block.end - block.start
    guard let last = blocks.last, last.start / length == block.start / length else { return blocks.append(block) }
    blocks[blocks.count - 1] = Block(
      start: last.start, end: block.end, checksum: block.checksum, marks: Self.union(last.marks + block.marks))
  }

  static func union(_ marks: [ChangeMark]) -> [ChangeMark] {
    var sorted = marks.sorted()
    var count = 0
    for mark in sorted where count == 0 || sorted[count - 1] != mark {
      sorted[count] = mark
      count += 1
    }
    sorted.removeLast(sorted.count - count)
    return sorted
  }
}

// MARK: - Marks

/// A mark of a location that changed: a part of the hash of its path, or of a path above it.
typealias ChangeMark = UInt32

/// The hash of a location's path, from which its marks are derived.
struct ChangePath {
  let hash: UInt64

  static let root = ChangePath(hash: 0x9e37_79b9_7f4a_7c15)

  func appending(_ name: String) -> ChangePath {
    // FNV-1a. The name's length is included, so that no two paths are the same bytes.
    var hash = self.hash ^ UInt64(truncatingIfNeeded: name.utf8.count)
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return ChangePath(hash: Self.mixed(hash))
  }

  /// Marks a change of the value at the path, whatever part of it.
  var whole: ChangeMark { ChangeMark(truncatingIfNeeded: hash >> 32) }
  /// Marks a change of a value below the path.
  var below: ChangeMark { ChangeMark(truncatingIfNeeded: Self.mixed(hash ^ 0xa076_1d64_78bd_642f) >> 32) }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }

  /// The marks of a value: every change of the value at the location, of a value above it as a whole, or below it has one of them.
  static func marks(of pointer: JSONPointer) -> [ChangeMark] {
    var path = root
    var marks = [path.whole]
    for token in pointer.tokens {
      path = path.appending(token)
      marks.append(path.whole)
    }
    return marks + [path.below]
  }
}

// MARK: - The file

extension ChangeIndex {
  /// The file of the index of a log.
  struct File {
    let files: DerivedFiles
    let length: Int
    /// The SHA-256 of the code's fingerprint, the log and its changes after it was written.
    let key: String
    let prefix: String

    /// Names the file of a log; `nil` if nothing is kept, the model has no fingerprint, or the log is being changed.
    init?<M: Model>(of history: History<M>, length: Int) throws(LogError) {
      guard M.isIdentified, let files = history.derivedFiles else { return nil }
      let code: String
      do throws(EventSourcingError) { code = "\(String(reflecting: M.self)) \(try M.fingerprint())" } catch {
        return nil
      }
      let redactions = try history.reader.redactionList()
      guard !redactions.hasUnfinished else { return nil }
      (self.files, self.length) = (files, length)
      let log = SHA256.hexadecimal(history.reader.header.log.utf8)
      prefix = "changes-\(log.prefix(16))-"
      let redacted = redactions.entries.map { entry in "\(entry.path.split(separator: "/").last ?? "") \(entry.line)" }
      key = SHA256.hexadecimal(
        "changes of \(log) by \(code)\nfrom \(history.firstRevision)\nredacted \(redacted)\n".utf8)
    }

    var name: String { prefix + key.prefix(16) }
    var path: String { "\(files.folder)/\(name)" }

    /// Whether the file can be replaced. Otherwise the index would be made for nothing.
    var isWritable: Bool { files.canReplace(path) }

    /// The first line. The numbers after it are in little-endian order.
    var heading: String { "action-log changes 1 \(length) \(key)\n" }
  }

  /// Files of other logs are removed when all files together have more bytes: they can be derived again.
  private static let folderLimit = 1 << 28
  /// An index of 10⁸ actions has fewer bytes.
  private static let fileLimit = 1 << 30

  /// Reads the index of a log; `nil` if there is none that belongs to its actions.
  static func read<M: Model>(_ file: File, of history: History<M>) -> ChangeIndex? {
    do throws(FileSystemError) {
      let bytes = try file.files.fileSystem.contents(of: file.path, limitBytes: fileLimit)
      guard let index = ChangeIndex(bytes, of: file), let last = index.blocks.last else { return nil }
      do throws(LogError) {
        return try history.reader.anchor(at: last.end).checksum == last.checksum ? index : nil
      } catch {
        return nil
      }
    } catch {
      return nil
    }
  }

  /// Replaces the file of a log, and removes those of earlier code or contents. A failure costs only time: later questions add the
  /// actions again, so ``actionsAdded`` is 0 then.
  mutating func write(_ file: File) {
    let fileSystem = file.files.fileSystem
    do throws(FileSystemError) { try file.files.replace(file.path, with: bytes(of: file)) } catch {
      actionsAdded = 0
      return
    }
    do throws(FileSystemError) {
      var others: [(name: String, sizeBytes: Int)] = []
      for name in try fileSystem.names(in: file.files.folder) where name.hasPrefix("changes-") && name != file.name {
        others.append((name, try fileSystem.status(of: "\(file.files.folder)/\(name)")?.sizeBytes ?? 0))
      }
      let isFull = others.reduce(0) { sum, other in sum + other.sizeBytes } > Self.folderLimit
      for other in others where isFull || other.name.hasPrefix(file.prefix) {
        try fileSystem.remove("\(file.files.folder)/\(other.name)")
      }
    } catch {}
  }

  /// Parses a file; `nil` if it is not intact or has another heading.
  init?(_ bytes: [UInt8], of file: File) {
    let (first, sealed) = (file.heading.utf8.count, bytes.count - 4)
    guard sealed >= first, bytes[..<first].elementsEqual(file.heading.utf8) else { return nil }
    var offset = first
    func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
      let size = MemoryLayout<Number>.size
      guard bytes.count - offset >= size else { return nil }
      defer { offset += size }
      return bytes.withUnsafeBytes { bytes in
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
      }
    }
    offset = sealed
    guard number(UInt32.self) == CRC32C.checksum(of: bytes[..<sealed]) else { return nil }
    offset = first
    self.init(length: file.length)
    while offset < sealed {
      guard let start = number(UInt64.self).flatMap(Int.init(exactly:)), let actions = number(UInt32.self),
        let checksum = number(UInt32.self), let count = number(UInt32.self), Int(count) <= (sealed - offset) / 4,
        start < Int.max / 2, actions > 0, actions <= length, start == blocks.last?.end ?? start
      else { return nil }
      let marks = [ChangeMark](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
        bytes.withUnsafeBytes { bytes in
          for index in 0..<Int(count) {
            buffer.initializeElement(
              at: index,
              to: ChangeMark(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4 * index, as: UInt32.self)))
          }
        }
        initialized = Int(count)
      }
      offset += 4 * Int(count)
      blocks.append(Block(start: start, end: start + Int(actions), checksum: checksum, marks: marks))
    }
  }

  func bytes(of file: File) -> [UInt8] {
    var bytes = Array(file.heading.utf8)
    func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { number in bytes.append(contentsOf: number) }
    }
    for block in blocks {
      append(UInt64(block.start))
      append(UInt32(block.end - block.start))
      append(block.checksum)
      append(UInt32(block.marks.count))
      for mark in block.marks { append(mark) }
    }
    append(CRC32C.checksum(of: bytes))
    return bytes
  }
}
