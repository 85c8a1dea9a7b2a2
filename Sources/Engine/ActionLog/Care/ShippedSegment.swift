/// A segment that can be shipped, and its path in the directory that it is shipped to.
public struct ShippedSegment: Sendable, Equatable {
  /// The segment's file in the log.
  public let source: String
  /// The path of its copy.
  public let target: String
  /// The `seq` of its first action.
  public let first: Int
  /// Its length in bytes.
  public let sizeBytes: Int
  /// Whether it can never change again. The last segment of a closed log grows when the log is opened again.
  public let isSealed: Bool
  /// The directories that contain the copy, the one of all logs first.
  let directories: [String]

  init(_ segment: LogSegment, _ header: LogHeader, root: String, isSealed: Bool) {
    source = segment.path
    first = segment.first
    sizeBytes = segment.sizeBytes
    self.isSealed = isSealed
    directories = Self.directories(of: header, in: root)
    target = (directories.last ?? root) + "/" + SegmentName.text(first: segment.first)
  }

  /// The directories of a segment: of all logs, of its model, of its log, of its day.
  static func directories(of header: LogHeader, in root: String) -> [String] {
    var directories = [root]
    for (name, value) in [
      ("model", header.model), ("log", header.log), ("date", String(header.created.description.prefix(10))),
    ] {
      directories.append((directories.last ?? root) + "/\(name)=\(Self.escaped(value))")
    }
    return directories
  }

  /// A value as a part of a path: what is no letter, digit or one of `-_.` is written as Hive does, `%2F`. A value of dots alone
  /// would be another directory, but stands behind its name.
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
