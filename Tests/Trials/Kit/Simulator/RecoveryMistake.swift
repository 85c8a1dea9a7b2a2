import ActionLog

/// What an engine can do wrong when it opens a log, done to the log before the real one opens it: the controls of the trials
/// that damage what was durable, which must be caught.
package enum RecoveryMistake: String, Sendable, CaseIterable {
  /// It does not look at `HEAD`.
  case ignoresHead = "does not look at HEAD"
  /// It cuts at the first line that is not whole, whatever follows and whatever `HEAD` says.
  case cutsAtFirstBadLine = "cuts at the first bad line"

  /// Does it.
  func make(on disk: MemoryFileSystem) throws(FileSystemError) {
    let evidence = try DurableEvidence(of: disk)
    if try disk.status(of: SimulatedLog.path + "/HEAD") != nil { try disk.remove(SimulatedLog.path + "/HEAD") }
    guard self == .cutsAtFirstBadLine, let path = evidence.activePath, evidence.goodBytes > 0 else { return }
    try disk.setContents(Array(try disk.contents(of: path).prefix(evidence.goodBytes)), of: path)
  }
}
