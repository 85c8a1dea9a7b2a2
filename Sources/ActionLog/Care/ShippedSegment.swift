/// A sealed segment, and its place in the directory that it is shipped to.
public struct ShippedSegment: Sendable, Equatable {
  /// The segment's file in the log.
  public let source: String
  /// Where it is shipped to.
  public let target: String
  /// The `seq` of its first action.
  public let first: Int
  /// Its length in bytes.
  public let sizeBytes: Int
  /// The directories that the file lies in, the one of all logs first.
  let directories: [String]

  init(_ segment: LogSegment, _ header: LogHeader, root: String) {
    source = segment.path
    first = segment.first
    sizeBytes = segment.sizeBytes
    var directories = [root]
    for (name, value) in [
      ("model", header.model), ("log", header.log), ("date", String(header.created.description.prefix(10))),
    ] {
      directories.append((directories.last ?? root) + "/\(name)=\(Self.escaped(value))")
    }
    self.directories = directories
    target = (directories.last ?? root) + "/" + SegmentName.text(first: segment.first)
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
