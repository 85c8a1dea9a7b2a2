import ActionLog
import Testing

extension LogStory {
  /// Expects that the log is damaged after an action: opening, reading and verifying report it, and nothing is
  /// truncated.
  func expectDamage(after lastSeq: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = try bytes()
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try open() }
    #expect(error?.code == .damaged, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(error?.seq == lastSeq + 1, sourceLocation: sourceLocation)
    #expect(try bytes() == before, "nothing is cut", sourceLocation: sourceLocation)
    let extent = try reader().extent()
    #expect(extent.lastSeq == lastSeq, sourceLocation: sourceLocation)
    #expect(extent.ending.damage?.seq == lastSeq + 1, sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(LogStory.path, fileSystem: files).verdict == .damaged, sourceLocation: sourceLocation
    )
  }

  /// Expects that the log has a torn tail after an action: reading and verifying report it, and a writer moves it to
  /// the quarantine.
  func expectTorn(after lastSeq: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try LogVerifier.verify(LogStory.path, fileSystem: files)
    #expect(report.verdict == .torn, sourceLocation: sourceLocation)
    guard case .torn(let size, let place) = try reader().extent().ending else {
      Issue.record("not torn", sourceLocation: sourceLocation)
      return
    }
    #expect(report.tornBytes == size, sourceLocation: sourceLocation)
    let writer = try open()
    #expect(writer.opening.recovered?.bytes == size, sourceLocation: sourceLocation)
    #expect(writer.opening.lastSeq == lastSeq, sourceLocation: sourceLocation)
    let kept = LogStory.path + "/" + (writer.opening.recovered?.file ?? "")
    #expect(try files.contents(of: kept).count == size, sourceLocation: sourceLocation)
    try writer.closeNow()
    #expect(try bytes()[..<place.byteOffset].last == UInt8(ascii: "\n"), sourceLocation: sourceLocation)
    #expect(
      try LogVerifier.verify(LogStory.path, fileSystem: files).verdict == .clean, sourceLocation: sourceLocation)
  }
}
