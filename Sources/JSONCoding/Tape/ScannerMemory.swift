/// The memory of a tokenizer, which outlives it and is used again.
struct ScannerMemory {
  var tokens = RawStack<JSONToken>()
  /// Scratch space for the check of names, kept between objects.
  var names = RawStack<ScannedName>()

  /// So many tokens are kept from one text to the next: those of a text of a few hundred kilobytes.
  private static let tokenLimit = 1 << 16
  private static let nameLimit = 1 << 12

  func deallocate() {
    tokens.deallocate()
    names.deallocate()
  }

  /// Frees what an unusually large text has left.
  mutating func trim() {
    if tokens.capacity > ScannerMemory.tokenLimit {
      tokens.deallocate()
      tokens = RawStack()
    }
    if names.capacity > ScannerMemory.nameLimit {
      names.deallocate()
      names = RawStack()
    }
  }
}

/// A name with its first bytes, which settle nearly every comparison.
struct ScannedName {
  var prefix: UInt64
  var token: JSONToken
}

/// The memory of one thread for texts that are checked while no other code runs.
final class ScannerScratch {
  private var memory = ScannerMemory()

  private static let slot = ThreadSlot<ScannerScratch>()

  deinit {
    memory.deallocate()
  }

  /// Lends a scanner to a closure.
  @inline(__always)
  static func withScanner<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int,
    _ body: (inout JSONScanner) throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    let scratch = slot.take() ?? ScannerScratch()
    var scanner = JSONScanner(bytes, maximumDepth: min(maximumDepth, JSONTape.depthLimit), memory: scratch.memory)
    defer {
      scanner.memory.trim()
      scratch.memory = scanner.memory
      slot.put(scratch)
    }
    return try body(&scanner)
  }
}
