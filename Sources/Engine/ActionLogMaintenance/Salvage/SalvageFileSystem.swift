import ActionLog
import Platform

/// A file system that can read every segment of a log on a failing disk.
///
/// Unreadable pages read as bytes that no line contains, and a segment that cannot be opened as one such byte, so
/// that a reader finds bad lines there and continues past them. A failed read is tried twice, because some failures
/// pass, and then not again: a failing device takes seconds for each attempt.
final class SalvageFileSystem: ForwardingFileSystem {
  package let base: any LogFileSystem
  private let failures = Locked<[String: ReadFailures]>([:])

  init(_ base: any LogFileSystem) { self.base = base }

  /// Returns why bytes of a file could not be read; `nil` if they could.
  func failure(in range: Range<Int>, of path: String) -> FileSystemError? {
    failures.withLock { failures in failures[path]?.first(in: range) }
  }

  func isUnopenable(_ path: String) -> Bool {
    failures.withLock { failures in failures[path]?.isUnopenable ?? false }
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    guard Self.isSegment(path) else { return try base.open(path, for: access) }
    do throws(FileSystemError) { return try openToRead(path) } catch {
      guard error.concernsFile, error.code != .notFound else { throw error }
    }
    // Skipped bytes are missing in the new log, and some failures pass.
    do throws(FileSystemError) { return try openToRead(path) } catch {
      record(error, 0..<1, of: path, isUnopenable: true)
      return BytesFile([SalvageFile.filler], path: path)
    }
  }

  /// Opens a file and checks that its length is readable, without which nothing of it is.
  private func openToRead(_ path: String) throws(FileSystemError) -> SalvageFile {
    let file = try base.open(path, for: .read)
    do throws(FileSystemError) { _ = try file.size() } catch {
      file.close()
      throw error
    }
    return SalvageFile(file, path: path, of: self)
  }

  func record(_ error: FileSystemError, _ range: Range<Int>, of path: String, isUnopenable: Bool = false) {
    failures.withLock { failures in
      failures[path, default: ReadFailures()].record(error, range)
      if isUnopenable { failures[path]?.isUnopenable = true }
    }
  }

  /// Returns an empty file for a segment whose status cannot be read: it may be readable all the same.
  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    do throws(FileSystemError) { return try base.status(of: path) } catch {
      guard error.concernsFile, Self.isSegment(path) else { throw error }
      return FileStatus(kind: .file, sizeBytes: 0)
    }
  }

  private static func isSegment(_ path: String) -> Bool {
    SegmentName.first(of: path.split(separator: "/").last.map(String.init) ?? "") != nil
  }
}

private struct ReadFailures {
  var isUnopenable = false
  /// The ranges with their errors; adjacent ranges are merged.
  private var ranges: [(range: Range<Int>, error: FileSystemError)] = []

  mutating func record(_ error: FileSystemError, _ range: Range<Int>) {
    if let last = ranges.last, last.range.upperBound == range.lowerBound {
      ranges[ranges.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      ranges.append((range, error))
    }
  }

  func first(in range: Range<Int>) -> FileSystemError? {
    ranges.first { unreadable in unreadable.range.overlaps(range) }?.error
  }
}

/// A file whose unreadable pages read as filler bytes.
private final class SalvageFile: ForwardingFile {
  /// The unit that systems read and lose.
  private static let pageBytes = 4_096
  /// A byte that occurs in no JSON and is not zero, which a crash would explain.
  static let filler: UInt8 = 1

  let base: any LogFile
  private let path: String
  private let files: SalvageFileSystem

  init(_ base: any LogFile, path: String, of files: SalvageFileSystem) {
    self.base = base
    self.path = path
    self.files = files
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    let requested = offset..<offset + buffer.count
    if files.failure(in: requested, of: path) == nil {
      do throws(FileSystemError) { return try base.read(at: offset, into: buffer) } catch {
        guard error.concernsFile else { throw error }
      }
    }
    let end = min(requested.upperBound, max(try base.size(), offset))
    var start = offset
    while start < end {
      let next = min((start / Self.pageBytes + 1) * Self.pageBytes, end)
      let page = UnsafeMutableRawBufferPointer(rebasing: buffer[start - offset..<next - offset])
      try readPage(at: start, into: page)
      start = next
    }
    return end - offset
  }

  /// Reads one page, or fills it.
  private func readPage(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) {
    let range = offset..<offset + buffer.count
    var count = 0
    if files.failure(in: range, of: path) == nil {
      do throws(FileSystemError) { count = try base.read(at: offset, into: buffer) } catch {
        guard error.concernsFile else { throw error }
        files.record(error, range, of: path)
      }
    }
    // Bytes truncated since are filled, too: they were counted.
    for index in count..<buffer.count { buffer[index] = Self.filler }
  }
}
