/// A growable stack of trivial values with manual memory management.
///
/// Appending to an array checks for uniqueness and exclusive access each time, which is a third of a scanner's work. Copies of a
/// stack share their memory, so each stack has a single owner that calls ``deallocate()``. Bounds are checked in debug builds only;
/// all indices derive from ``count``.
struct RawStack<Element: BitwiseCopyable> {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private(set) var capacity: Int

  init(capacity: Int = 0) {
    self.capacity = capacity
    // Never accessed while the capacity is 0.
    let nowhere = UnsafeMutablePointer<Element>(bitPattern: MemoryLayout<Element>.alignment)
    base = capacity == 0 ? nowhere.unsafelyUnwrapped : .allocate(capacity: capacity)
  }

  func deallocate() {
    if capacity > 0 { base.deallocate() }
  }

  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress {
      assert((0..<count).contains(index))
      return UnsafePointer(base + index)
    }
    @inline(__always) nonmutating unsafeMutableAddress {
      assert((0..<count).contains(index))
      return base + index
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    base[count] = element
    count &+= 1
  }

  @inline(__always)
  mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let source = elements.baseAddress else { return }
    reserve(elements.count)
    (base + count).update(from: source, count: elements.count)
    count &+= elements.count
  }

  @inline(__always)
  mutating func truncate(to newCount: Int) {
    assert((0...count).contains(newCount))
    count = newCount
  }

  @inline(__always)
  mutating func removeLast() -> Element {
    let last = self[count &- 1]
    count &-= 1
    return last
  }

  /// Adds elements that were written past the last one into reserved capacity.
  @inline(__always)
  mutating func extend(to newCount: Int) {
    assert((count...capacity).contains(newCount))
    count = newCount
  }

  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity &- count < more { grow(by: more) }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    let larger = max(16, count + more, capacity * 2)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    deallocate()
    base = moved
    capacity = larger
  }
}

/// Operations on eight bytes at a time. The first byte in memory is the lowest one on every platform.
enum ByteWord {
  @inline(__always)
  static func load(_ address: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(address).loadUnaligned(as: UInt64.self))
  }

  /// Returns up to eight leading bytes of a name as a number with the same order. Shorter names are padded with zeros.
  ///
  /// - Parameter limit: The number of readable bytes at the address, at least `count`.
  @inline(__always)
  static func prefix(_ address: UnsafePointer<UInt8>, count: Int, limit: Int) -> UInt64 {
    if limit >= 8 {
      let word = load(address).byteSwapped
      return count >= 8 ? word : count == 0 ? 0 : word & ~(.max >> UInt64(count &* 8))
    }
    var word: UInt64 = 0
    for index in 0..<min(count, 8) { word |= UInt64(address[index]) << UInt64(56 &- index &* 8) }
    return word
  }
}

/// A hash table keyed by type identity.
///
/// Coders look up a type for every value, and a `Dictionary` would spend more time on hashing than the coding takes. Metadata is
/// never freed, so its address identifies the type. As with `RawStack`, a single owner frees the memory.
struct TypeTable<Element: BitwiseCopyable> {
  private struct Entry {
    /// The address of the type; 0 if the entry is free.
    var type: UInt
    /// Valid if the entry is not free.
    var element: Element?
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var mask: Int
  private var count = 0

  private static var leastCapacity: Int { 64 }

  init() {
    mask = TypeTable.leastCapacity - 1
    entries = TypeTable.allocate(TypeTable.leastCapacity)
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(type: 0, element: nil), count: capacity)
    return entries
  }

  func deallocate() {
    entries.deallocate()
  }

  /// The entry of a type, or the free entry to store it in. At least a quarter of the entries are free.
  @inline(__always)
  private func place(of type: UInt) -> Int {
    // Metadata addresses are aligned to 8 bytes and close together.
    var place = Int(truncatingIfNeeded: (type >> 4) ^ (type >> 12)) & mask
    while entries[place].type != type, entries[place].type != 0 { place = (place &+ 1) & mask }
    return place
  }

  subscript(type: ObjectIdentifier) -> Element? {
    @inline(__always) get {
      let type = UInt(bitPattern: type)
      let place = place(of: type)
      return entries[place].type == type ? entries[place].element : nil
    }
    set {
      let type = UInt(bitPattern: type)
      var place = place(of: type)
      if entries[place].type == 0 {
        count += 1
        if count * 4 > mask * 3 {
          grow()
          place = self.place(of: type)
        }
      }
      entries[place] = Entry(type: type, element: newValue)
    }
  }

  private mutating func grow() {
    let (old, capacity) = (entries, mask + 1)
    entries = TypeTable.allocate(capacity * 2)
    mask = capacity * 2 - 1
    for index in 0..<capacity where old[index].type != 0 { entries[place(of: old[index].type)] = old[index] }
    old.deallocate()
  }

  var elements: [Element] {
    (0...mask).compactMap { entries[$0].element }
  }
}
