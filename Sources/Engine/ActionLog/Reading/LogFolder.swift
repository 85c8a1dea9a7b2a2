/// The files of a log, as one listing of its directory found them.
struct LogFolder {
  /// A segment file.
  struct Segment: Equatable {
    /// The `seq` of its first action, which is its name.
    var first: Int
    var path: String

    /// Its length; 0 when what lies there is no file, or cannot be looked at: whoever reads it says why.
    func sizeBytes(_ fileSystem: any LogFileSystem) -> Int {
      do throws(FileSystemError) {
        guard let status = try fileSystem.status(of: path), status.kind == .file else { return 0 }
        return status.sizeBytes
      } catch {
        return 0
      }
    }
  }

  /// The directory.
  let path: String
  /// In ascending order; the last one is the active one.
  private(set) var segments: [Segment] = []
  /// Paths of segments that were being made when their writer died.
  private(set) var unfinished: [String] = []
  /// Every name in the directory.
  let names: [String]

  /// Lists a directory.
  init(_ path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    self.path = path
    names = try fileSystem.names(in: path)
    for name in names {
      if let first = SegmentName.first(of: name) {
        segments.append(Segment(first: first, path: path + "/" + name))
      } else if SegmentName.isUnfinished(name), try fileSystem.status(of: path + "/" + name)?.kind != .directory {
        // No writer makes a directory of that name.
        unfinished.append(path + "/" + name)
      }
    }
    segments.sort { one, other in one.first < other.first }
  }

  var hasHead: Bool { names.contains(LogFormat.headName) }
  var headPath: String { path + "/" + LogFormat.headName }

  /// The directory that a path lies in.
  static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  /// Refuses a path within a log's directory, where something is to be made that is no part of the log, and a log that is itself
  /// what an interrupted attempt at that path has left: it would be cleared away.
  ///
  /// - Parameter what: What is to be made, for instance `a branch`.
  static func check(
    _ path: String, isOutside log: String, _ fileSystem: any LogFileSystem, _ what: String
  ) throws(LogError) {
    do throws(FileSystemError) {
      if try fileSystem.path(log, isWithin: NewDirectory.outer(of: path)) {
        throw FileSystemError(code: .exists, operation: "mkdir", path: NewDirectory.outer(of: path))
      }
      guard try fileSystem.path(path, isWithin: log) else { return }
    } catch {
      throw LogError.making(error, "\(what) cannot be made", path: path)
    }
    throw LogError(
      .invalidArgument, "\(what) cannot be inside the log that it comes from", path: path,
      advice: "Use a directory next to it.")
  }

  /// A path without slashes at its end.
  static func trimmed(_ path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    return String(trimmed)
  }
}

/// The name of a segment file: the `seq` of its first action in 16 digits, and `.jsonl`.
package enum SegmentName {
  /// As many as a name has digits.
  private static let zeros = "0000000000000000"

  static func text(first: Int) -> String {
    let digits = String(first)
    var name = String(Substring(zeros.utf8.dropFirst(digits.utf8.count)))
    name += digits
    name += LogFormat.segmentSuffix
    return name
  }

  /// The first `seq` of a name, or `nil` for every name that is not a segment's.
  package static func first(of name: String) -> Int? {
    let bytes = name.utf8
    guard bytes.count == 22, name.hasSuffix(LogFormat.segmentSuffix) else { return nil }
    var first = 0
    for byte in bytes.prefix(16) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      // 16 digits are below 2⁶³.
      first = first * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return (1...LogFormat.seqLimit).contains(first) ? first : nil
  }

  /// Whether a name is that of a segment that was being made when its writer died.
  static func isUnfinished(_ name: String) -> Bool {
    name.hasSuffix(LogFormat.newSegmentSuffix)
      && first(of: String(name.dropLast(LogFormat.newSegmentSuffix.count))) != nil
  }
}
