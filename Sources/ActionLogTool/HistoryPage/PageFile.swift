import ActionLog

/// Writes a page to a file, whole or not at all.
struct PageFile {
  let path: String
  let files: any LogFileSystem

  /// What a file begins with that may be replaced: nobody's log is overwritten by a slip of the hand.
  private static let beginning = Array("<!DOCTYPE html>".utf8)

  /// Writes the file. Until it is complete, what was there before stays.
  ///
  /// - Throws: ``ToolFailure`` when something lies there that is no page; `FileSystemError`.
  func write(_ bytes: [UInt8]) throws {
    try checkTarget()
    let temporary = path + ".action-log-part"
    if try files.status(of: temporary) != nil { try files.remove(temporary) }
    do {
      let file = try files.open(temporary, for: .create)
      defer { file.close() }
      try bytes.withUnsafeBytes { bytes in try file.append(bytes) }
      try file.synchronize(.data)
      try files.rename(temporary, to: path)
    } catch {
      // The first failure is what is told; a part that cannot be removed now is removed at the next try.
      do { try files.remove(temporary) } catch {}
      guard var failure = error as? FileSystemError else { throw error }
      // Who named the file knows nothing of the part.
      failure.path = path
      throw failure
    }
  }

  private func checkTarget() throws {
    guard let status = try files.status(of: path) else { return }
    guard status.kind == .file else {
      throw ToolFailure(
        "exists", .usage, "there is something that is no file", path: path, advice: "Name another file.")
    }
    let file = try files.open(path, for: .read)
    defer { file.close() }
    var bytes = [UInt8](repeating: 0, count: Self.beginning.count)
    let count = try bytes.withUnsafeMutableBytes { bytes in try file.read(at: 0, into: bytes) }
    guard count == 0 || Array(bytes.prefix(count)) == Self.beginning else {
      throw ToolFailure(
        "exists", .usage, "there is a file that is no HTML page", path: path, advice: "Name another file, or remove it."
      )
    }
  }
}
