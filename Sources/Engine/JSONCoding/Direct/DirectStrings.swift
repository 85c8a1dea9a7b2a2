/// A cache of recently read strings. A log contains the same identifiers in line after line, and creating a string on
/// the heap costs more than finding it here (benchmark `decode line, direct`).
///
/// It affects only time and memory: a cached string has exactly the bytes of the text. The cache is bounded to 256
/// strings of at most 40 bytes; a new string replaces another one. One reader uses it at a time.
public final class DirectStrings: @unchecked Sendable {
  // It may be sent between threads: the memory belongs to the object, `slots` is constant, and only copies of strings
  // leave it. It must not be shared: its user guarantees that one reader uses it at a time. In this package, these
  // users are `ActionSink`, which holds a lock, and `StateCoder`, which creates one for each call.
  @usableFromInline let slots: UnsafeMutablePointer<Slot>

  /// A string of plain ASCII, and its bytes in overlapping words.
  @usableFromInline
  struct Slot {
    /// The first 16 bytes; a shorter string is padded with zeros.
    var key: (UInt64, UInt64) = (0, 0)
    /// The words at 16 and 24 (at most up to the last one) and the last word of a string of at least 16 bytes.
    var rest: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var count = 0
    var string = ""
  }

  /// 256 slots of a cache line each: half of the first-level cache.
  private static let slotCount = 256

  /// 40 bytes: the reach of five words. A UUID has 36.
  static let limitBytes = 40

  /// Creates a cache that contains only the empty string.
  public init() {
    slots = .allocate(capacity: DirectStrings.slotCount)
    slots.initialize(repeating: Slot(), count: DirectStrings.slotCount)
  }

  deinit {
    slots.deinitialize(count: DirectStrings.slotCount)
    slots.deallocate()
  }
}

extension DirectStrings {
  /// Returns the slot for a key.
  @inline(__always)
  static func slot(_ key: (UInt64, UInt64), _ slots: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
    let mixed = (key.0 ^ key.1 &* 0x9E37_79B9_7F4A_7C15) &* 0xC2B2_AE3D_27D4_EB4F
    // The highest eight bits depend on all others.
    return slots + Int(truncatingIfNeeded: mixed >> 56)
  }
}

extension DirectStrings.Slot {
  /// Whether the bytes at an address are those of the string, which has at least 16, followed by a quote. The key was
  /// compared before.
  ///
  /// - Parameter left: The number of readable bytes.
  @inline(__always)
  func stands(at start: UnsafePointer<UInt8>, _ left: Int) -> Bool {
    guard count >= 16, count < left, start[count] == UInt8(ascii: "\"") else { return false }
    return DirectStrings.Slot.rest(of: start, count) == rest
  }

  /// Returns the words after the key of a string of at least 16 bytes.
  @inline(__always)
  static func rest(of start: UnsafePointer<UInt8>, _ count: Int) -> (UInt64, UInt64, UInt64) {
    let bytes = UnsafeRawPointer(start)
    let last = count &- 8
    return (
      bytes.loadUnaligned(fromByteOffset: min(16, last), as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: min(24, last), as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    )
  }
}
