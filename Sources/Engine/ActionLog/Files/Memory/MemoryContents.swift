/// The bytes of a file in memory, and what of them would be left after a power cut.
///
/// The bytes are those that a reader sees. Every page that was changed since the last sync is dirty and
/// keeps what the device holds of it, so that appending and synchronising cost what they change, not what the file
/// holds.
struct MemoryContents: Sendable {
  /// The unit in which Linux and Darwin on Intel write files back.
  static let pageBytes = 4096

  private(set) var bytes: [UInt8] = []
  /// The length at the last sync.
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
  mutating func sync() {
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
