/// A hash table keyed by type identity.
///
/// Coders look up a type for every value, and a `Dictionary` would spend more time on hashing than the coding takes. Metadata is never freed,
/// so its address identifies the type. As with `RawStack`, a single owner frees the memory.
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

  /// All elements, in unspecified order.
  var elements: [Element] {
    (0...mask).compactMap { entries[$0].element }
  }
}
