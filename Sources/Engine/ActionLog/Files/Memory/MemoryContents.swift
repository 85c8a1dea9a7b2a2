/// The bytes of an in-memory file, and what a power cut would leave of them.
///
/// `bytes` is what a reader sees. A page changed since the last sync is dirty and keeps its durable bytes, so that
/// appends and syncs cost what they change, not the size of the file.
struct MemoryContents: Sendable {
  /// The unit in which Linux, and Darwin on Intel, write files back.
  static let pageBytes = 4096

  private(set) var bytes: [UInt8] = []
  /// The length at the last sync.
  private(set) var durableCount = 0
  /// The range of lengths since then, any of which a crash can leave.
  private(set) var countsSinceSync = 0...0
  private(set) var dirtyPages: [Int: DirtyPage] = [:]
  /// The length on the device after a failed sync, until the file is written or truncated again.
  private var lostCount: Int?

  init() {}

  /// Creates durable contents.
  init(durable bytes: [UInt8]) {
    self.bytes = bytes
    settle()
  }

  var count: Int { bytes.count }

  /// Writes bytes at an offset and fills a gap before them with zeros.
  ///
  /// - Complexity: O(*n*) for *n* bytes, including the gap.
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

  /// Truncates the bytes, or extends them with zeros.
  ///
  /// - Complexity: O(*n*) for *n* bytes removed or added.
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

  /// Models a failed sync: the system considers the pages clean and never writes them or the new length, unless the
  /// file is changed again.
  mutating func abandonDirtyPages() {
    lostCount = durableCount
    for index in dirtyPages.keys { dirtyPages[index]?.isAbandoned = true }
  }

  /// Drops the abandoned pages: readers see what the device has.
  mutating func discardCache() {
    for (index, page) in dirtyPages where page.isAbandoned {
      let range = pageRange(index)
      var held = page.durable.bytes(now: bytes[range])
      held.resize(to: range.count)
      bytes.replaceSubrange(range, with: held)
      dirtyPages[index] = nil
    }
  }

  /// Flips a bit as a failing device does: in the visible and in the durable bytes.
  mutating func flip(bit: Int, ofByte offset: Int) {
    bytes[offset] ^= 1 << bit
    let (index, place) = offset.quotientAndRemainder(dividingBy: Self.pageBytes)
    dirtyPages[index]?.durable.flip(bit: bit, ofByte: place)
  }
}

extension MemoryContents {
  /// Returns the visible bytes of a page: fewer than a page at the end, none past it.
  func pageRange(_ index: Int) -> Range<Int> {
    let start = min(index * Self.pageBytes, count)
    return start..<min(start + Self.pageBytes, count)
  }

  /// Returns the durable bytes of a page.
  func durablePage(_ index: Int) -> [UInt8] {
    let now = bytes[pageRange(index)]
    if let page = dirtyPages[index] { return page.durable.bytes(now: now) }
    return Array(now.prefix(max(0, durableCount - index * Self.pageBytes)))
  }

  private mutating func lengthen(to newCount: Int) {
    // A page that never reached the device reads as zeros, so there is nothing to save.
    bytes.append(contentsOf: repeatElement(0, count: newCount - count))
    noteCount()
  }

  /// Saves the contents of the pages in a range before the range is changed.
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

/// The earlier contents of a dirty page: on the device, and before its last writes.
struct DirtyPage: Sendable {
  /// An earlier content of the page.
  enum Version: Sendable {
    /// The first bytes of the present content, which suffices for appends.
    case prefix(Int)
    /// Bytes that were changed since.
    case bytes([UInt8])

    /// Returns the content, given the page's present bytes.
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

  /// The number of versions to keep. The system may write a page back at any moment, so a crash can leave any state
  /// it has had; a few of them represent all.
  private static let versionLimit = 3

  /// The content on the device.
  var durable: Version
  /// The contents before the last changes, the oldest first.
  private(set) var earlier: [Version] = []
  /// Whether a write-back failed and the system considers the page clean.
  var isAbandoned = false

  /// Creates the record of a clean page with `durableCount` bytes on the device.
  init(durableCount: Int) {
    durable = .prefix(durableCount)
  }

  /// Saves the content before a change that leaves the first `unchanged` bytes alone.
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
  /// Truncates the array or extends it with zeros.
  mutating func resize(to newCount: Int) {
    if newCount < count {
      removeLast(count - newCount)
    } else {
      append(contentsOf: repeatElement(0, count: newCount - count))
    }
  }
}
