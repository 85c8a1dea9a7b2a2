/// The bytes of a file in memory, and what of them would be left after a power cut.
///
/// The bytes are those that a reader sees. Every page that was changed since the last synchronisation is dirty and
/// keeps what the device holds of it, so that appending and synchronising cost what they change, not what the file
/// holds.
struct MemoryContents: Sendable {
  /// The unit in which Linux and Darwin on Intel write files back.
  static let pageBytes = 4096

  private(set) var bytes: [UInt8] = []
  /// The length at the last synchronisation.
  private(set) var durableCount = 0
  /// The shortest and longest since: any length between them can be found after a crash.
  private(set) var countsSinceSync = 0...0
  private(set) var dirtyPages: [Int: DirtyPage] = [:]
  /// The length that the device has since a failed sync, until the file is written or truncated again.
  private var lostCount: Int?

  init() {}

  /// Bytes that are on the device.
  init(durable bytes: [UInt8]) {
    self.bytes = bytes
    settle()
  }

  var count: Int { bytes.count }

  /// Puts bytes at an offset; a gap before them is filled with zeros.
  ///
  /// - Complexity: O(*n*) for *n* bytes, gap included.
  mutating func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
    guard !new.isEmpty else { return }
    lostCount = nil
    if offset > count { lengthen(to: offset) }
    let end = offset + new.count
    rememberPages(offset..<end)
    let covered = min(end, count) - offset
    if covered > 0 {
      bytes.replaceSubrange(offset..<(offset + covered), with: UnsafeRawBufferPointer(rebasing: new[..<covered]))
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: new[covered...]))
    noteCount()
  }

  /// Cuts the bytes, or lengthens them with zeros.
  ///
  /// - Complexity: O(*n*) for *n* bytes cut or added.
  mutating func truncate(to newCount: Int) {
    lostCount = nil
    if newCount < count {
      rememberPages(newCount..<count)
      bytes.removeLast(count - newCount)
      noteCount()
    } else if newCount > count {
      lengthen(to: newCount)
    }
  }

  /// Makes all bytes durable, except those of abandoned pages.
  ///
  /// - Complexity: O(*d*) for *d* dirty pages.
  mutating func synchronize() {
    dirtyPages = dirtyPages.filter { _, page in page.isAbandoned }
    settle()
  }

  /// Does what a failed sync does: the system takes the pages for clean and never writes them or the new length again, unless the
  /// file is changed again.
  mutating func abandonDirtyPages() {
    lostCount = durableCount
    for index in dirtyPages.keys { dirtyPages[index]?.isAbandoned = true }
  }

  /// Forgets the abandoned pages: readers see what the device holds.
  mutating func discardCache() {
    for (index, page) in dirtyPages where page.isAbandoned {
      let range = pageRange(index)
      var held = page.durable.bytes(now: bytes[range])
      held.resize(to: range.count)
      bytes.replaceSubrange(range, with: held)
      dirtyPages[index] = nil
    }
  }

  /// Changes a bit as a failing device does: in what is read and in what would be left.
  mutating func flip(bit: Int, ofByte offset: Int) {
    bytes[offset] ^= 1 << bit
    let (index, place) = offset.quotientAndRemainder(dividingBy: Self.pageBytes)
    dirtyPages[index]?.durable.flip(bit: bit, ofByte: place)
  }
}

extension MemoryContents {
  /// The bytes of a page that readers see: fewer than a page at the end, none past it.
  func pageRange(_ index: Int) -> Range<Int> {
    let start = min(index * Self.pageBytes, count)
    return start..<min(start + Self.pageBytes, count)
  }

  /// The page as the device is sure to hold it.
  func durablePage(_ index: Int) -> [UInt8] {
    let now = bytes[pageRange(index)]
    if let page = dirtyPages[index] { return page.durable.bytes(now: now) }
    return Array(now.prefix(max(0, durableCount - index * Self.pageBytes)))
  }

  private mutating func lengthen(to newCount: Int) {
    // Nothing to remember: zeros are what a page that never reached the device reads as.
    bytes.append(contentsOf: repeatElement(0, count: newCount - count))
    noteCount()
  }

  /// Keeps what the pages of a range hold before the range is changed.
  private mutating func rememberPages(_ range: Range<Int>) {
    for index in (range.lowerBound / Self.pageBytes)...((range.upperBound - 1) / Self.pageBytes) {
      let start = index * Self.pageBytes
      let now = bytes[pageRange(index)]
      let unchanged = max(0, range.lowerBound - start)
      let durable = min(max(0, durableCount - start), now.count)
      dirtyPages[index, default: DirtyPage(durableCount: durable)].remember(now, unchanged: unchanged)
    }
  }

  private mutating func noteCount() {
    countsSinceSync = min(countsSinceSync.lowerBound, count)...max(countsSinceSync.upperBound, count)
  }

  private mutating func settle() {
    durableCount = min(lostCount ?? count, count)
    countsSinceSync = durableCount...count
  }
}
