internal import Platform

/// A segment that can be shipped, and its path in the target directory.
public struct ShippedSegment: Sendable, Equatable {
  /// The segment's file in the log.
  public let source: String
  /// The path of its copy.
  public let target: String
  /// The revision of its first action.
  public let first: Int
  /// Its length in bytes.
  public let sizeBytes: Int
  /// Whether it can never change again. The last segment of a closed log grows when the log is reopened.
  public let isSealed: Bool
  /// Whether a `@redact` record names the segment.
  var isRedacted = false
  /// The checksum of the line before its first line.
  let previousChecksum: UInt32
  /// The directories that contain the copy, starting with the root.
  let directories: [String]

  init(
    _ segment: LogSegment, _ beginning: (header: LogHeader, previous: UInt32), root: String, isSealed: Bool
  ) {
    previousChecksum = beginning.previous
    source = segment.path
    first = segment.first
    sizeBytes = segment.sizeBytes
    self.isSealed = isSealed
    directories = Self.directories(of: beginning.header, in: root)
    target = (directories.last ?? root) + "/" + SegmentName.text(first: segment.first)
  }

  /// Returns the directories of a segment: of all logs, of its model, of its log, of its day.
  static func directories(of header: LogHeader, in root: String) -> [String] {
    var directories = [root]
    for (name, value) in [
      ("model", header.model), ("log", header.log), ("date", String(header.created.description.prefix(10))),
    ] {
      directories.append((directories.last ?? root) + "/\(name)=\(Self.escaped(value))")
    }
    return directories
  }

  /// Escapes a value for a path: bytes other than letters, digits and `-_.` are written as `%2F`, like Hive does. A
  /// value of dots alone is safe because it follows its name.
  private static func escaped(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return value.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

/// What a directory has of a segment that can be shipped.
package enum ShippedCopy: Equatable, Sendable {
  /// No file.
  case missing
  /// A complete copy; its digest in hexadecimal digits if the comparison computed it.
  case current(sha256: String?)
  /// A copy of when the segment was shorter, which shipping replaces.
  case shorter
  /// A copy of before values of the segment were redacted, which shipping replaces.
  case unredacted
}

// MARK: - Comparing a segment with its copy

extension LogShipping {
  /// Whether the directory has a durable copy of a segment: a file of the same length with the same end.
  ///
  /// Each line includes the checksum of the previous one, so only a copy of the segment ends with the same bytes.
  /// A segment whose values were redacted is compared completely: its old file may have the same length and end.
  /// Damage in the middle of the copy is not detected here; ``LogVerifier`` finds it. A shorter copy that ends with a
  /// line of the segment was made when the segment was shorter: it does not count, and ``ship(_:copying:)`` replaces
  /// it.
  ///
  /// - Parameter segment: One of ``segments``.
  /// - Returns: `true` if the file and its name are durable: an earlier shipping may have been killed before the name
  ///   was.
  /// - Throws: ``LogError`` with code `exists` if the path is occupied by anything else, or `inputOutput`.
  /// - Complexity: O(1); O(length of the segment) if its values were redacted.
  public func isShipped(_ segment: ShippedSegment) throws(LogError) -> Bool {
    guard case .current = try copy(of: segment) else { return false }
    return true
  }

  /// Returns what the directory has of a segment, like ``isShipped(_:)``.
  ///
  /// - Throws: As ``isShipped(_:)``.
  /// - Complexity: As ``isShipped(_:)``.
  package func copy(of segment: ShippedSegment) throws(LogError) -> ShippedCopy {
    let found: ShippedCopy?
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: segment.target) else { return .missing }
      if status.kind == .file {
        found = try segment.isRedacted ? compare(segment) : compareEnds(of: segment)
      } else {
        found = nil
      }
      if case .current = found { try fileSystem.syncDirectory(LogFolder.parent(of: segment.target)) }
    } catch {
      throw LogError.files(error, "the shipped file cannot be read", path: segment.target)
    }
    guard let found else {
      throw LogError(
        .exists, "the file is not a copy of the segment \(segment.source)", path: segment.target,
        advice: "A sealed segment never changes, so one of the two is damaged. Run 'action-log verify' on both.")
    }
    return found
  }

  /// The number of bytes to compare at the end: a few lines of the usual length.
  private static let endBytes = 4_096

  /// Compares the end of the shipped file with the bytes of the segment at the same offset.
  ///
  /// - Returns: `nil` if the file is not a copy.
  private func compareEnds(of segment: ShippedSegment) throws(FileSystemError) -> ShippedCopy? {
    try compareEnds(of: segment.source, segment.sizeBytes, with: segment.target)
  }

  /// Compares the end of a file with the bytes of another one at the same offset.
  func compareEnds(
    of source: String, _ sizeBytes: Int, with target: String
  ) throws(FileSystemError) -> ShippedCopy? {
    let source = try fileSystem.open(source, for: .read)
    defer { source.close() }
    let target = try fileSystem.open(target, for: .read)
    defer { target.close() }
    let size = try target.size()
    guard size > 0, size <= sizeBytes else { return nil }
    let start = max(0, size - Self.endBytes)
    let bytes = try target.bytes(at: start, count: size - start)
    guard try source.bytes(at: start, count: size - start) == bytes else { return nil }
    if size == sizeBytes { return .current(sha256: nil) }
    return bytes.last == UInt8(ascii: "\n") ? .shorter : nil
  }

  /// Compares a redacted segment with its copy, which may be of before the redaction.
  private func compare(_ segment: ShippedSegment) throws(FileSystemError) -> ShippedCopy {
    let source = try fileSystem.open(segment.source, for: .read)
    defer { source.close() }
    let target = try fileSystem.open(segment.target, for: .read)
    defer { target.close() }
    let digest = try SegmentDigest.of(source)
    return try digest == SegmentDigest.of(target) ? .current(sha256: digest.hexadecimal) : .unredacted
  }
}
