package import Platform

// The commitment to `data` and `meta` of a salted line: a tree of hashes over salts, in which each value can be replaced by its
// hash while the others stay proved. The line's bytes are hashed as they are; no value is decoded, so that none changes.

/// A salt: 16 random bytes in a line, or the salt of a part of it, which is derived from them.
package struct LineSalt: Hashable, Sendable {
  package static var byteCount: Int { 16 }
  package static var textSizeBytes: Int { 22 }

  private var words: SIMD2<UInt64>

  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    words = .zero
    Swift.withUnsafeMutableBytes(of: &words) { words in words.copyBytes(from: bytes) }
  }

  /// Creates a salt from its text in a line; `nil` unless it is exactly that of 16 bytes.
  package init?(text: some Collection<UInt8>) {
    guard text.count == Self.textSizeBytes, let bytes = Base64.bytes(text, .url) else { return nil }
    self.init(bytes)
  }

  /// The first half of a digest.
  fileprivate init(_ digest: SHA256Digest) {
    words = digest.withUnsafeBytes { bytes in bytes.loadUnaligned(as: SIMD2<UInt64>.self) }
  }

  package var bytes: [UInt8] { withUnsafeBytes { bytes in Array(bytes) } }

  /// The text in a line: unpadded base64 with the URL alphabet.
  package var text: String { Base64.text(bytes, .url) }

  /// Returns the salt of a member or element of the value that has this salt.
  package func derived(_ index: Int) -> LineSalt {
    // A line has fewer members than bytes.
    let number = UInt32(truncatingIfNeeded: index).bigEndian
    let digest = withUnsafeBytes { salt in
      Swift.withUnsafeBytes(of: number) { number in SHA256.digest(Prefix.salt, salt, number) }
    }
    return LineSalt(digest)
  }

  fileprivate func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }
}

/// The first byte of each hash, which keeps the kinds of hashes apart.
private enum Prefix {
  static let salt: UInt8 = 0x10
  static let scalar: UInt8 = 0x11
  static let array: UInt8 = 0x12
  static let object: UInt8 = 0x13
}

/// Computes commitments to the content of lines: `{"data":…[,"meta":…]}` under a salt.
///
/// A value reuses the memory of the previous line. It expects JSON that the parser of lines has accepted, and reports
/// anything else that it meets; it never reads outside the line.
package struct Commitment: Sendable {
  package enum Fault: Error, Equatable, Sendable {
    /// The text is not JSON without white space, nested at most as deeply as the format allows.
    case notCompact
    /// The lists of kept and removed parts do not cover the content exactly, in its order.
    case partsDoNotFit
    /// There is no value at a pointer.
    case noValue(pointer: String)
  }

  private struct Frame {
    var hash: SHA256
    var salt: LineSalt
    var count = 0
    var isObject: Bool
  }

  private var frames: [Frame] = []

  /// The number of members and elements that ``split(data:meta:source:hidden:)`` has looked up among the locations to hide.
  package internal(set) var lookupCount = 0

  package init() {}

  package mutating func commitment(
    data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer?, salt: LineSalt
  ) throws(Fault) -> SHA256Digest {
    let (first, end) = try value(in: data, from: 0, salt: salt.derived(0))
    guard end == data.count else { throw .notCompact }
    var second: SHA256Digest?
    if let meta {
      let (digest, end) = try value(in: meta, from: 0, salt: salt.derived(1))
      guard end == meta.count else { throw .notCompact }
      second = digest
    }
    return Self.commitment(data: first, meta: second)
  }

  static func commitment(data: SHA256Digest, meta: SHA256Digest?) -> SHA256Digest {
    var hash = SHA256()
    hash.update(Prefix.object)
    dataName.withUnsafeBytes { name in add(name: name, to: &hash) }
    hash.update(data)
    if let meta {
      metaName.withUnsafeBytes { name in add(name: name, to: &hash) }
      hash.update(meta)
    }
    return hash.digest()
  }

  private static let dataName = Array("data".utf8)
  private static let metaName = Array("meta".utf8)

  /// Returns the commitment to the value that begins at an index, and the index after it.
  package mutating func value(
    in bytes: UnsafeRawBufferPointer, from start: Int, salt: LineSalt
  ) throws(Fault) -> (digest: SHA256Digest, end: Int) {
    frames.removeAll(keepingCapacity: true)
    var position = start
    var salt = salt
    while true {
      var digest: SHA256Digest
      guard position < bytes.count else { throw .notCompact }
      let first = bytes[position]
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), !Self.isEmptyContainer(bytes, position) {
        // The record itself is level 1.
        guard frames.count < LogFormat.depthLimit - 1 else { throw .notCompact }
        let isObject = first == UInt8(ascii: "{")
        frames.append(Frame(hash: Self.hash(ofObject: isObject), salt: salt, isObject: isObject))
        position = try beginNext(bytes, position + 1, &salt)
        continue
      }
      let end = try Self.scalarEnd(bytes, position)
      digest = Self.scalar(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), salt)
      position = end
      // Ends every container that ends here.
      while true {
        guard let top = frames.indices.last else { return (digest, position) }
        frames[top].hash.update(digest)
        guard position < bytes.count else { throw .notCompact }
        let mark = bytes[position]
        position += 1
        if mark == UInt8(ascii: ",") {
          position = try beginNext(bytes, position, &salt)
          break
        }
        guard mark == (frames[top].isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw .notCompact }
        digest = frames[top].hash.digest()
        frames.removeLast()
      }
    }
  }

  /// Reads the name of the next member, if the innermost container is an object, and derives the salt of its value.
  ///
  /// - Returns: The index of the value.
  private mutating func beginNext(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, _ salt: inout LineSalt
  ) throws(Fault) -> Int {
    let top = frames.count - 1
    salt = frames[top].salt.derived(frames[top].count)
    frames[top].count += 1
    guard frames[top].isObject else { return start }
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { throw .notCompact }
    let end = try Self.scalarEnd(bytes, start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { throw .notCompact }
    Self.add(name: UnsafeRawBufferPointer(rebasing: bytes[start + 1..<end - 1]), to: &frames[top].hash)
    return end + 1
  }

  static func hash(ofObject isObject: Bool) -> SHA256 {
    var hash = SHA256()
    hash.update(isObject ? Prefix.object : Prefix.array)
    return hash
  }

  /// Adds the name of a member: its length, and its bytes as in the line, without quotes.
  static func add(name: UnsafeRawBufferPointer, to hash: inout SHA256) {
    // Names are shorter than a line, which is shorter than 2³² bytes.
    hash.update(bigEndian: UInt32(truncatingIfNeeded: name.count))
    hash.update(name)
  }

  fileprivate static func scalar(_ text: UnsafeRawBufferPointer, _ salt: LineSalt) -> SHA256Digest {
    salt.withUnsafeBytes { salt in SHA256.digest(Prefix.scalar, salt, text) }
  }

  private static func isEmptyContainer(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    guard position + 1 < bytes.count else { return false }
    return bytes[position + 1] == bytes[position] &+ 2  // `}` and `]` follow their opening bracket by two.
  }

  private static func scalarEnd(_ bytes: UnsafeRawBufferPointer, _ start: Int) throws(Fault) -> Int {
    var index = start
    switch bytes[start] {
    case UInt8(ascii: "\""):
      index += 1
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "\""): return index + 1
        case UInt8(ascii: "\\"): index += 2
        default: index += 1
        }
      }
      throw .notCompact
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return start + 2
    default:
      while index < bytes.count, isScalarByte(bytes[index]) { index += 1 }
      guard index > start else { throw .notCompact }
      return index
    }
  }

  private static func isScalarByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
