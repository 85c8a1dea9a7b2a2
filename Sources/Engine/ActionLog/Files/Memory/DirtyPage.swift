/// What a page of a file in memory held before it was changed: on the device, and at its last writes.
struct DirtyPage: Sendable {
  /// A content that the page had.
  enum Version: Sendable {
    /// The first bytes of what the page holds now: all that appending needs.
    case prefix(Int)
    /// Bytes that have been changed since.
    case bytes([UInt8])

    /// The content, given what the page holds now.
    func bytes(now: ArraySlice<UInt8>) -> [UInt8] {
      switch self {
      case .prefix(let count): Array(now.prefix(count))
      case .bytes(let bytes): bytes
      }
    }

    mutating func flip(bit: Int, ofByte place: Int) {
      if case .bytes(var bytes) = self, place < bytes.count {
        bytes[place] ^= 1 << bit
        self = .bytes(bytes)
      }
    }
  }

  /// The system may write a page back at any moment, so that a crash can leave any state it has had. A few of them
  /// stand for all.
  private static let versionLimit = 3

  /// What the device holds.
  var durable: Version
  /// What the page held before each of its last changes, the oldest first.
  private(set) var earlier: [Version] = []
  /// Whether a write-back failed and the system takes the page for clean.
  var isAbandoned = false

  /// A page that is clean so far, of which `durableCount` bytes are on the device.
  init(durableCount: Int) {
    durable = .prefix(durableCount)
  }

  /// Keeps what the page holds before a change that leaves its first `unchanged` bytes alone.
  mutating func remember(_ now: ArraySlice<UInt8>, unchanged: Int) {
    isAbandoned = false
    if unchanged < now.count {
      durable = .bytes(durable.bytes(now: now))
      earlier = earlier.map { version in .bytes(version.bytes(now: now)) }
      earlier.append(.bytes(Array(now)))
    } else {
      earlier.append(.prefix(now.count))
    }
    if earlier.count > Self.versionLimit { earlier.removeFirst() }
  }
}

extension [UInt8] {
  /// Cuts the array or lengthens it with zeros.
  mutating func resize(to newCount: Int) {
    if newCount < count {
      removeLast(count - newCount)
    } else {
      append(contentsOf: repeatElement(0, count: newCount - count))
    }
  }
}
