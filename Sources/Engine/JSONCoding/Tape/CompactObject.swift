/// A fast validator for the JSON that this module's encoders write: objects without white space, with moderate nesting and plain
/// ASCII names.
///
/// It accepts only objects that ``JSONTape`` accepts as well. For any other text it returns *unknown*, and the caller falls back to
/// the tape, which decides and reports the error. The validator allocates nothing, so complete logs are checked at reading speed
/// (benchmark `verify`).
package enum CompactObject {
  /// Returns the index after the object whose opening brace is at an index, or `nil` if the object may not be strict JSON. Bytes
  /// after the object are not validated.
  ///
  /// - Complexity: O(*n*) in the length of the object. Each name is compared with at most 32 preceding names.
  package static func end(of bytes: UnsafeRawBufferPointer, from start: Int, maximumDepth: Int) -> Int? {
    guard let base = bytes.baseAddress, start >= 0, start < bytes.count, base.byte(start) == UInt8(ascii: "{") else {
      return nil
    }
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: CompactObjectWalk.nameLimit) { names in
      // A nonempty temporary allocation has an address.
      var walk = CompactObjectWalk(
        base: base, count: bytes.count, depthLimit: min(maximumDepth, CompactObjectWalk.depthLimit),
        names: names.baseAddress.unsafelyUnwrapped)
      return walk.end(from: start)
    }
  }
}

/// The validation pass, without allocation or recursion.
///
/// Every load is preceded by a comparison of its index with `count`.
private struct CompactObjectWalk {
  let base: UnsafeRawPointer
  let count: Int
  let depthLimit: Int
  /// Fingerprints of the names of all open objects, the innermost last.
  let names: UnsafeMutablePointer<UInt64>

  private var position = 0
  private var nameCount = 0
  /// The index of the first name of the innermost object.
  private var firstName = 0
  private var depth = 0
  /// One bit for each open container, the innermost lowest: set for objects.
  private var objects: UInt64 = 0
  /// The number of names of each enclosing object, five bits each, the innermost lowest.
  private var outerNames: UInt64 = 0

  /// The maximum depth: 12, as many five-bit counts as fit in a word. Actions nest far less.
  static let depthLimit = 12
  /// The maximum number of names of an object, which fits in five bits. Larger objects are left to the tape.
  static let nameLimit = 32

  init(base: UnsafeRawPointer, count: Int, depthLimit: Int, names: UnsafeMutablePointer<UInt64>) {
    self.base = base
    self.count = count
    self.depthLimit = depthLimit
    self.names = names
  }

  mutating func end(from start: Int) -> Int? {
    position = start
    while true {
      guard skipValue() else { return nil }
      // Closes the containers that end here, and advances to the next value.
      while true {
        if depth == 0 { return position }
        guard position < count else { return nil }
        let byte = base.byte(position)
        position &+= 1
        let isObject = objects & 1 == 1
        if byte == UInt8(ascii: ",") {
          if isObject, !skipName() { return nil }
          break
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
        close()
      }
    }
  }

  /// Skips a scalar or an empty container, including the opening brackets and names before it.
  @inline(__always)
  private mutating func skipValue() -> Bool {
    while position < count {
      let byte = base.byte(position)
      switch byte {
      case UInt8(ascii: "\""):
        position &+= 1
        return skipString()
      case UInt8(ascii: "{"):
        guard open(isObject: true), position < count else { return false }
        if base.byte(position) == UInt8(ascii: "}") {
          position &+= 1
          close()
          return true
        }
        guard skipName() else { return false }
      case UInt8(ascii: "["):
        guard open(isObject: false), position < count else { return false }
        if base.byte(position) == UInt8(ascii: "]") {
          position &+= 1
          close()
          return true
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return skipNumber()
      case UInt8(ascii: "t"): return skipWord(0x6575_7274, size: 4)
      case UInt8(ascii: "n"): return skipWord(0x6C6C_756E, size: 4)
      case UInt8(ascii: "f"):
        position &+= 1
        return skipWord(0x6573_6C61, size: 4)
      default: return false
      }
    }
    return false
  }

  @inline(__always)
  private mutating func open(isObject: Bool) -> Bool {
    guard depth < depthLimit else { return false }
    depth &+= 1
    objects = objects << 1 | (isObject ? 1 : 0)
    outerNames = outerNames << 5 | UInt64(truncatingIfNeeded: nameCount &- firstName)
    firstName = nameCount
    position &+= 1
    return true
  }

  @inline(__always)
  private mutating func close() {
    depth &-= 1
    objects >>= 1
    nameCount = firstName
    firstName = nameCount &- Int(truncatingIfNeeded: outerNames & 31)
    outerNames >>= 5
  }
}

// MARK: - Names and strings

extension CompactObjectWalk {
  @inline(__always)
  private func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Skips a name and its colon. Fails unless the name is plain ASCII and its fingerprint is unique within the object.
  @inline(__always)
  private mutating func skipName() -> Bool {
    guard position < count, base.byte(position) == UInt8(ascii: "\"") else { return false }
    let start = position &+ 1
    var next = start
    var fingerprint: UInt64 = 0
    while true {
      // A record's object is followed by at least eight bytes. The tape decides otherwise.
      guard next &+ 8 <= count else { return false }
      let word = word(at: next)
      let marks = DirectBytes.unusual(word)
      if marks == 0 {
        fingerprint = (fingerprint ^ word) &* 0x9E37_79B9_7F4A_7C15
        fingerprint ^= fingerprint >> 29
        next &+= 8
        continue
      }
      let bits = UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & ~7)
      next &+= Int(truncatingIfNeeded: bits >> 3)
      fingerprint ^= word & ((1 << bits) &- 1)
      break
    }
    guard next &+ 1 < count, base.byte(next) == UInt8(ascii: "\""), base.byte(next &+ 1) == UInt8(ascii: ":") else {
      return false
    }
    fingerprint = fingerprint &+ UInt64(truncatingIfNeeded: next &- start) &* 0xC2B2_AE3D_27D4_EB4F
    position = next &+ 2
    return note(fingerprint)
  }

  @inline(__always)
  private mutating func note(_ fingerprint: UInt64) -> Bool {
    guard nameCount < CompactObjectWalk.nameLimit - 1 else { return false }
    var index = firstName
    while index < nameCount {
      if names[index] == fingerprint { return false }
      index &+= 1
    }
    names[nameCount] = fingerprint
    nameCount &+= 1
    return true
  }

  /// Skips the rest of a string and its closing quote.
  @inline(__always)
  private mutating func skipString() -> Bool {
    while true {
      guard position &+ 8 <= count else { return false }
      let marks = DirectBytes.unusual(word(at: position))
      if marks == 0 {
        position &+= 8
        continue
      }
      position &+= marks.trailingZeroBitCount >> 3
      if base.byte(position) == UInt8(ascii: "\"") {
        position &+= 1
        return true
      }
      guard skipUnusual() else { return false }
    }
  }

  /// Skips a two-character escape or a non-ASCII scalar.
  private mutating func skipUnusual() -> Bool {
    // In bounds: the caller has loaded a word that contains this byte.
    let byte = base.byte(position)
    if byte >= 0x80 {
      let size = UTF8Scalar.size(at: base + position, limit: count &- position)
      position &+= size
      return size > 0
    }
    guard byte == UInt8(ascii: "\\"), position &+ 1 < count else { return false }
    switch base.byte(position &+ 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position &+= 2
      return true
    default: return false
    }
  }
}

// MARK: - Numbers and words

extension CompactObjectWalk {
  @inline(__always)
  private mutating func skipWord(_ expected: UInt32, size: Int) -> Bool {
    guard position &+ size <= count else { return false }
    let found = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    position &+= size
    return found == expected
  }

  /// Skips `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  @inline(__always)
  private mutating func skipNumber() -> Bool {
    if base.byte(position) == UInt8(ascii: "-") { position &+= 1 }
    let first = position
    guard skipDigits() else { return false }
    if position &- first > 1, base.byte(first) == UInt8(ascii: "0") { return false }
    guard position < count else { return false }
    if base.byte(position) == UInt8(ascii: ".") {
      position &+= 1
      guard skipDigits(), position < count else { return false }
    }
    if base.byte(position) | 0x20 == UInt8(ascii: "e") {
      position &+= 1
      guard position < count else { return false }
      if base.byte(position) == UInt8(ascii: "+") || base.byte(position) == UInt8(ascii: "-") { position &+= 1 }
      return skipDigits()
    }
    return true
  }

  @inline(__always)
  private mutating func skipDigits() -> Bool {
    let first = position
    while position < count, base.byte(position) &- UInt8(ascii: "0") <= 9 { position &+= 1 }
    return position > first
  }
}

extension UnsafeRawPointer {
  @inline(__always)
  fileprivate func byte(_ index: Int) -> UInt8 { load(fromByteOffset: index, as: UInt8.self) }
}
