import CSystem

/// Linux's table of locks, which names the process that holds one.
package enum LockTable {
  /// The most that is read of the table: a line has some 60 bytes, a table of this size 17 000 locks.
  private static let limitBytes = 1 << 20

  /// The process that holds the lock on a directory; `nil` where the system does not tell.
  static func holder(of directory: FileIdentity) -> Int32? {
    #if os(Linux)
    holder(
      inTable: contents(),
      major: csystem_device_major(directory.device),
      minor: csystem_device_minor(directory.device),
      inode: directory.inode
    )
    #else
    nil
    #endif
  }

  /// Finds the holder in lines such as `3: FLOCK  ADVISORY  WRITE 4711 fe:00:131203 0 EOF`.
  ///
  /// A process of another container shows as 0 or less, which is of no use to anybody here.
  package static func holder(inTable table: String, major: UInt32, minor: UInt32, inode: UInt64) -> Int32? {
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE" else { continue }
      let place = fields[5].split(separator: ":")
      guard place.count == 3, UInt32(place[0], radix: 16) == major, UInt32(place[1], radix: 16) == minor,
        UInt64(place[2]) == inode, let process = Int32(fields[4]), process > 0
      else { continue }
      return process
    }
    return nil
  }

  #if os(Linux)
  /// The table, or nothing: who holds a lock is a courtesy, and failing to tell must not hide the refusal itself.
  private static func contents() -> String {
    do throws(FileSystemError) {
      let table = try POSIXFileSystem().open("/proc/locks", for: .read)
      defer { table.close() }
      return String(decoding: try table.bytes(at: 0, count: limitBytes), as: UTF8.self)
    } catch {
      return ""
    }
  }
  #endif
}
