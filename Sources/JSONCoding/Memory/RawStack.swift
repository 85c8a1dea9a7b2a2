/// A growing run of plain values in memory that its owner frees.
///
/// Appending to an array checks for uniqueness and for exclusive access each time, which is a third of the work of a tokenizer.
/// A stack is a bare value: copies share their memory, so that each has one owner, who keeps the last copy and calls
/// ``deallocate()``. Reading is checked in debug builds; all indices that are used come from ``count``.
struct RawStack<Element: BitwiseCopyable> {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private(set) var capacity: Int

  /// Makes a stack; no capacity allocates nothing.
  init(capacity: Int = 0) {
    self.capacity = capacity
    // Never written to while the capacity is 0.
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

  /// Appends copies of elements.
  @inline(__always)
  mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
    guard let source = elements.baseAddress else { return }
    reserve(elements.count)
    (base + count).update(from: source, count: elements.count)
    count &+= elements.count
  }

  /// Forgets the elements from an index on.
  @inline(__always)
  mutating func truncate(to newCount: Int) {
    assert((0...count).contains(newCount))
    count = newCount
  }

  /// Takes the last element away.
  @inline(__always)
  mutating func removeLast() -> Element {
    let last = self[count &- 1]
    count &-= 1
    return last
  }

  /// Takes elements in that were written behind the last one, for which room was made.
  @inline(__always)
  mutating func extend(to newCount: Int) {
    assert((count...capacity).contains(newCount))
    count = newCount
  }

  /// Makes room for more elements.
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
