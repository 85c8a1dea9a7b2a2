import Platform

/// An open file of the machine's file system.
final class POSIXFile: LogFile {
  private let path: String
  private let access: FileAccess
  /// `nil` once the file was closed. The lock covers the number only, not the calls: reads run side by side.
  private let descriptor: Locked<Int32?>

  /// Takes over an open descriptor.
  init(descriptor: Int32, path: String, access: FileAccess) {
    self.descriptor = Locked(descriptor)
    self.path = path
    self.access = access
  }

  deinit { close() }

  func size() throws(FileSystemError) -> Int {
    try SystemCall.size(of: openDescriptor, path)
  }

  func identity() throws(FileSystemError) -> FileIdentity? {
    try SystemCall.identity(of: openDescriptor, path)
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try SystemCall.read(openDescriptor, path, at: offset, into: buffer)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    precondition(access == .append || access == .create, "append to a file that was not opened for appending")
    try SystemCall.append(openDescriptor, path, bytes)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    // Linux would append, whatever the offset says.
    precondition(access == .overwrite, "write at an offset of a file that was not opened for overwriting")
    try SystemCall.overwrite(openDescriptor, path, bytes, at: offset)
  }

  func truncate(toBytes count: Int) throws(FileSystemError) {
    precondition(access != .read, "truncation of a file that was opened for reading")
    try SystemCall.truncate(openDescriptor, path, toBytes: count)
  }

  func synchronize(_ strength: SynchronizationStrength) throws(FileSystemError) {
    try SystemCall.synchronize(openDescriptor, path, strength)
  }

  func discardCache() {
    SystemCall.discardCache(openDescriptor)
  }

  func close() {
    descriptor.withLock { descriptor in
      if let open = descriptor { SystemCall.closeDescriptor(open) }
      descriptor = nil
    }
  }
}

extension POSIXFile {
  private var openDescriptor: Int32 {
    guard let open = descriptor.withLock({ descriptor in descriptor }) else {
      preconditionFailure("a call on a closed file")
    }
    return open
  }
}
