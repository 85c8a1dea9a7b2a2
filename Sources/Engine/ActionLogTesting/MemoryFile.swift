package import ActionLog
import Platform

package final class MemoryFile: LogFile {
  private let volume: Locked<MemoryVolume>
  private let node: MemoryVolume.NodeID
  private let path: String
  private let access: FileAccess
  private let isOpen = Locked(true)

  init(node: MemoryVolume.NodeID, of volume: Locked<MemoryVolume>, path: String, access: FileAccess) {
    self.volume = volume
    self.node = node
    self.path = path
    self.access = access
  }

  deinit { close() }

  package func size() throws(FileSystemError) -> Int {
    withVolume { volume in volume.files[node]?.count ?? 0 }
  }

  package func identity() throws(FileSystemError) -> FileIdentity? { MemoryVolume.identity(of: node) }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    if offset < 0 { throw failure(.inputOutput, "pread") }
    return withVolume { volume in
      volume.counts.reads += 1
      guard let file = volume.files[node], offset < file.count else { return 0 }
      let count = min(buffer.count, file.count - offset)
      file.bytes[offset..<(offset + count)].withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyMemory(from: bytes)
      }
      volume.counts.bytesRead += count
      return count
    }
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    precondition(access == .append || access == .create, "append to a file that was not opened for appending")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.appends += 1
      try put(bytes, at: volume.files[node]?.count ?? 0, in: &volume, "write")
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    precondition(access == .overwrite, "write at an offset of a file that was not opened for overwriting")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.writes += 1
      try put(bytes, at: offset, in: &volume, "pwrite")
    }
  }

  package func truncate(toBytes count: Int) throws(FileSystemError) {
    precondition(access != .read, "truncation of a file that was opened for reading")
    try withVolume { volume throws(FileSystemError) in
      volume.counts.truncations += 1
      if count < 0 { throw failure(.inputOutput, "ftruncate") }
      if count > MemoryFileSystem.fileLimitBytes { throw failure(.fileTooLarge, "ftruncate") }
      volume.files[node]?.truncate(to: count)
    }
  }

  package func sync(_ strength: SyncStrength) throws(FileSystemError) {
    withVolume { volume in
      volume.counts.syncs += 1
      volume.files[node]?.sync()
    }
  }

  package func discardCache() {
    withVolume { volume in volume.files[node]?.discardCache() }
  }

  package func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      volume.withLock { volume in volume.closeFile(node) }
    }
  }

  /// Models a failed write-back: everything written since the last sync is still readable, counts as written, and
  /// never reaches the device. ``discardCache()`` reveals the device's bytes.
  package func abandonUnsynced() {
    withVolume { volume in volume.files[node]?.abandonDirtyPages() }
  }
}

extension MemoryFile {
  private func withVolume<Result: Sendable, Failure: Error>(
    _ body: (inout MemoryVolume) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(isOpen.withLock { isOpen in isOpen }, "a call on a closed file")
    return try volume.withLock(body)
  }

  /// Writes as many bytes as fit.
  private func put(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, in volume: inout MemoryVolume, _ operation: String
  ) throws(FileSystemError) {
    if offset < 0 { throw failure(.inputOutput, operation) }
    let limit = MemoryFileSystem.fileLimitBytes
    if bytes.count > limit || offset > limit - bytes.count { throw failure(.fileTooLarge, operation) }
    let count = volume.files[node]?.count ?? 0
    // Existing bytes take no new space; those of a gap do.
    let room = volume.capacityBytes.map { capacity in max(0, capacity - volume.usedBytes) + count - offset }
    let fitting = max(0, min(room ?? bytes.count, bytes.count))
    volume.files[node]?.write(UnsafeRawBufferPointer(rebasing: bytes[..<fitting]), at: offset)
    volume.counts.bytesWritten += fitting
    if fitting < bytes.count { throw failure(.noSpace, operation) }
  }

  private func failure(_ code: FileSystemError.Code, _ operation: String) -> FileSystemError {
    FileSystemError(code: code, operation: operation, path: path)
  }
}

extension MemoryVolume {
  /// Records that an open file is closed, and removes the file if it has no name.
  mutating func closeFile(_ node: NodeID) {
    let count = openCounts[node, default: 1] - 1
    openCounts[node] = count > 0 ? count : nil
    let isNamed = directories.values.contains { directory in directory.entries.values.contains(node) }
    if count == 0, !isNamed { collect() }
  }
}

/// The bytes of an in-memory file, and what a power cut would leave of them. A page changed since the last sync is dirty and keeps its
/// durable bytes, so that appends and syncs cost what they change, not the size of the file.
struct MemoryContents: Sendable {
  /// The unit in which Linux, and Darwin on Intel, write files back.
  static let pageBytes = 4096

  private(set) var bytes: [UInt8] = []
  private(set) var durableCount = 0
  /// The range of lengths since then. A crash can leave any of them.
  private(set) var countsSinceSync = 0...0
  private(set) var dirtyPages: [Int: DirtyPage] = [:]
  /// The length on the device after a failed sync, until the file is written or truncated again.
  private var lostCount: Int?

  init() {}

  init(durable bytes: [UInt8]) {
    self.bytes = bytes
    settle()
  }

  var count: Int { bytes.count }

  /// Writes bytes at an offset and fills a gap before them with zeros.
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
  enum Version: Sendable {
    /// The first bytes of the present content, which suffices for appends.
    case prefix(Int)
    /// Bytes that were changed since.
    case bytes([UInt8])

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

  var durable: Version
  /// The contents before the last changes, the oldest first.
  private(set) var earlier: [Version] = []
  /// Whether a write-back failed and the system considers the page clean.
  var isAbandoned = false

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
