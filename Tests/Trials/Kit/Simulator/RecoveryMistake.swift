import ActionLog

/// Planted mistakes when opening a log, applied before the real engine opens it: controls that damage durable records,
/// which must be caught.
package enum RecoveryMistake: String, Sendable, CaseIterable {
  /// Ignores `HEAD`.
  case ignoresHead = "ignores HEAD"
  /// Truncates at the first incomplete line, whatever follows and whatever `HEAD` records.
  case cutsAtFirstBadLine = "cuts at the first bad line"

  /// Applies the mistake.
  func make(on disk: MemoryFileSystem) throws(FileSystemError) {
    let evidence = try DurableEvidence(of: disk)
    if try disk.status(of: SimulatedLog.path + "/HEAD") != nil { try disk.remove(SimulatedLog.path + "/HEAD") }
    guard self == .cutsAtFirstBadLine, let path = evidence.activePath, evidence.goodBytes > 0 else { return }
    try disk.setContents(Array(try disk.contents(of: path).prefix(evidence.goodBytes)), of: path)
  }
}
