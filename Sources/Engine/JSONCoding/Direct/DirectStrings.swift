/// Strings that were read lately, to be used again: a log names the same identifiers in line after line, and making a string on
/// the heap costs more than what finding it here does (the benchmark `decode line, direct`).
///
/// It changes nothing but time and memory: a string that is found has the very bytes that stand there. What is remembered is
/// bounded, 256 strings of at most 40 bytes; a new one takes the place of another. One reader uses it at a time.
public final class DirectStrings: @unchecked Sendable {
  // It may be sent from thread to thread: the memory is the object's own, `slots` never changes, and nothing of what it points
  // to is handed out but copies of strings. It may not be shared: that one reader uses it at a time is its user's part. In this
  // package those are `ActionSink`, which holds a lock meanwhile, and `StateCoder`, which makes one for each call.
  @usableFromInline let slots: UnsafeMutablePointer<Slot>

  /// A string of plain ASCII, and its bytes in words that overlap.
  @usableFromInline
  struct Slot {
    /// The first 16 bytes, zeros behind a shorter string.
    var key: (UInt64, UInt64) = (0, 0)
    /// Of a string of 16 bytes or more the words at 16 and 24, but not beyond the last, and the last.
    var rest: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var count = 0
    var string = ""
  }

  /// 256 slots of a cache line each: half of the processor's first cache.
  private static let slotCount = 256

  /// 40 bytes: what five words cover. A UUID has 36.
  static let limitBytes = 40

  /// Makes a memory without strings but the empty one.
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
  /// The slot for a key, of those at an address.
  @inline(__always)
  static func slot(_ key: (UInt64, UInt64), _ slots: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
    let mixed = (key.0 ^ key.1 &* 0x9E37_79B9_7F4A_7C15) &* 0xC2B2_AE3D_27D4_EB4F
    // The highest eight bits depend on all others.
    return slots + Int(truncatingIfNeeded: mixed >> 56)
  }
}

extension DirectStrings.Slot {
  /// Whether the bytes of its string, which has 16 or more, stand at an address, and a quote behind them; its key does.
  ///
  /// - Parameter left: How many bytes can be read from there.
  @inline(__always)
  func stands(at start: UnsafePointer<UInt8>, _ left: Int) -> Bool {
    guard count >= 16, count < left, start[count] == UInt8(ascii: "\"") else { return false }
    return DirectStrings.Slot.rest(of: start, count) == rest
  }

  /// The words behind the key of a string of 16 bytes or more.
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
