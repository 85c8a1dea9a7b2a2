import ActionLog

/// A file in memory that cannot be changed, in place of one that a view shows with other bytes.
final class BytesFile: LogFile {
  private let bytes: [UInt8]
  private let path: String

  init(_ bytes: [UInt8], path: String) {
    self.bytes = bytes
    self.path = path
  }

  func size() -> Int { bytes.count }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset >= 0, offset < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - offset)
    bytes.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    return count
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) { throw .readOnly("append", path) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    throw .readOnly("write", path)
  }
  func truncate(toBytes count: Int) throws(FileSystemError) { throw .readOnly("truncate", path) }
  func sync(_ strength: SyncStrength) throws(FileSystemError) { throw .readOnly("sync", path) }
  func discardCache() {}
  func close() {}
}
