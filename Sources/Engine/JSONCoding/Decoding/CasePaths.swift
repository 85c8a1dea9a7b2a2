#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A cache of the text and tokens of the enum cases around a value, for recently used paths.
///
/// A log names the same few cases in line after line, so rendering their nesting each time would be a large part of
/// decoding an action with `Codable` (benchmark `decode line, Codable`). A path replaces a cached path with the same
/// hash. As with `RawStack`, one owner frees the memory.
struct CasePaths {
  /// A cached path.
  struct Known: BitwiseCopyable {
    fileprivate let path: UnsafeMutableBufferPointer<UInt8>
    /// The text before the value.
    let text: UnsafeMutableBufferPointer<UInt8>
    /// The tokens of that text.
    let tokens: UnsafeMutableBufferPointer<JSONToken>
    /// The number of objects around the value.
    let levels: Int
  }

  private let slots: UnsafeMutablePointer<Known?>

  /// 64: the highest six bits of a product.
  private static let slotCount = 64
  private static let slotShift = UInt64(UInt64.bitWidth - 6)
  /// Rendering a shorter path takes no longer than finding it.
  private static let leastBytes = 8
  /// Longer paths are not worth their memory.
  private static let mostBytes = 128

  init() {
    slots = .allocate(capacity: CasePaths.slotCount)
    slots.initialize(repeating: nil, count: CasePaths.slotCount)
  }

  func deallocate() {
    for slot in 0..<CasePaths.slotCount { forget(slots + slot) }
    slots.deallocate()
  }

  /// Returns the cached entry for a path.
  @inline(__always)
  func find(_ path: UnsafeBufferPointer<UInt8>) -> Known? {
    guard let slot = slot(path), let known = slot.pointee, known.path.count == path.count,
      let found = known.path.baseAddress, let wanted = path.baseAddress, memcmp(found, wanted, path.count) == 0
    else { return nil }
    return known
  }

  /// Adds a path to the cache.
  func note(
    _ path: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, _ tokens: UnsafeBufferPointer<JSONToken>,
    levels: Int
  ) {
    guard path.count <= CasePaths.mostBytes, let slot = slot(path) else { return }
    forget(slot)
    slot.pointee = Known(
      path: CasePaths.copy(path), text: CasePaths.copy(text), tokens: CasePaths.copy(tokens), levels: levels)
  }

  /// Returns the slot of a path, from its first and its last eight bytes.
  @inline(__always)
  private func slot(_ path: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<Known?>? {
    guard path.count >= CasePaths.leastBytes, let base = path.baseAddress else { return nil }
    let mixed = ByteWord.load(base) ^ ByteWord.load(base + (path.count &- 8)) &* 0x9E37_79B9_7F4A_7C15
    return slots + Int(truncatingIfNeeded: (mixed &* 0xC2B2_AE3D_27D4_EB4F) >> CasePaths.slotShift)
  }

  private func forget(_ slot: UnsafeMutablePointer<Known?>) {
    guard let known = slot.pointee else { return }
    known.path.deallocate()
    known.text.deallocate()
    known.tokens.deallocate()
    slot.pointee = nil
  }

  private static func copy<Element: BitwiseCopyable>(
    _ elements: UnsafeBufferPointer<Element>
  ) -> UnsafeMutableBufferPointer<Element> {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = copy.initialize(from: elements)
    return copy
  }
}
