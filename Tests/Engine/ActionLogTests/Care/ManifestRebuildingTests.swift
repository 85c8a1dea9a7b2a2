import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import Testing

/// The manifest of a shipped log, made again from the segments in the lake.
@Suite("Making a manifest again", .timeLimit(.minutes(60)))
struct ManifestRebuildingTests {
  private static let manifest = LakeStory.side + "/manifest.jsonl"
  private static let later = LogTime(microseconds: LogEnvironment.testStart.microseconds + 1_000_000)

  @discardableResult
  private func rebuild(
    _ files: any LogFileSystem, at path: String = LakeStory.shipped
  ) throws -> [ManifestRebuilding.Segment] {
    try ManifestRebuilding.run(at: path, fileSystem: files, now: { Self.later })
  }

  private func entries(_ files: MemoryFileSystem) throws -> [ShippingManifest.Entry] {
    ShippingManifest(parsing: try files.contents(of: Self.manifest)).sorted
  }

  /// The entries with another time.
  private func shipped(_ time: LogTime, _ entries: [ShippingManifest.Entry]) -> [ShippingManifest.Entry] {
    entries.map { entry in
      var entry = entry
      entry.time = time
      return entry
    }
  }

  enum Kind: CaseIterable, Sendable { case closed, open, reopened, redacted, pruned }

  private func lake(_ kind: Kind) throws -> LakeStory {
    var lake = LakeStory(segmentLimitBytes: 700)
    lake.story.configuration.redactable = kind == .redacted
    try lake.story.record(20, close: kind != .open)
    switch kind {
    case .closed, .open: break
    case .reopened:
      try lake.ship()
      try lake.story.record(1, from: 21, close: false)
    case .redacted:
      let index = try #require(try lake.story.reader().lineIndices(ofActions: [3])[3])
      _ = try LogRedaction.redact(
        at: LogStory.path, reason: "r", fileSystem: lake.files, environment: .test()
      ) { _ in [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))])] }
    case .pruned: try lake.story.prune(before: 9)
    }
    try lake.ship()
    return lake
  }

  /// Also without the log that was shipped.
  @Test(arguments: Kind.allCases, [true, false]) func itIsTheOriginal(kind: Kind, hasSource: Bool) throws {
    let lake = try lake(kind)
    let original = try entries(lake.files)
    #expect(original.count > 2)
    if !hasSource {
      for path in lake.files.filePaths where path.hasPrefix(LogStory.path + "/") { try lake.files.remove(path) }
    }
    // A complete manifest stays as it is.
    let before = try lake.files.contents(of: Self.manifest)
    #expect(try rebuild(lake.files).allSatisfy { segment in !segment.isNew })
    #expect(try lake.files.contents(of: Self.manifest) == before)
    try lake.files.remove(Self.manifest)
    #expect(try lake.verify().warnings.contains { warning in warning.kind == .missingManifest })
    let segments = try rebuild(lake.files, at: LakeStory.shipped + "/.")
    #expect(segments.allSatisfy(\.isNew) && segments.map(\.sha256) == original.map(\.sha256))
    #expect(segments.map(\.isSealed) == original.indices.map { index in index < original.count - 1 })
    #expect(try entries(lake.files) == shipped(Self.later, original))
    let report = try lake.verify()
    let warnings = report.warnings.filter { warning in warning.kind != .clockWentBack }
    #expect(report.verdict == .clean && warnings.isEmpty, "\(report.problems) \(warnings)")
    if hasSource { #expect(try lake.ship().outcomes.allSatisfy { outcome in outcome == .present }) }
  }

  /// Only what is new gets a new time.
  @Test func otherEntriesAreKept() throws {
    let lake = try lake(.closed)
    let original = try entries(lake.files)
    let lines = String(decoding: try lake.files.contents(of: Self.manifest), as: UTF8.self).split(separator: "\n")
    let rest = lines.dropLast().map { line in line + "\n" }.joined() + "not an entry\n"
    try lake.files.setContents(Array(rest.utf8), of: Self.manifest)
    #expect(try rebuild(lake.files).map(\.isNew) == original.indices.map { index in index == original.count - 1 })
    #expect(try entries(lake.files) == original.dropLast() + shipped(Self.later, original.suffix(1)))
    // Without a folder for it.
    for path in lake.files.filePaths where path.hasPrefix(LakeStory.lake + "/_logs/") { try lake.files.remove(path) }
    try lake.files.remove(LakeStory.side)
    try lake.files.remove(LakeStory.lake + "/_logs")
    try rebuild(lake.files)
    #expect(try entries(lake.files) == shipped(Self.later, original))
  }

  @Test func whatIsMissingIsNotHidden() throws {
    let whole = try lake(.closed)
    let segments = try whole.segments()
    for hasManifest in [true, false] {
      for (index, segment) in segments.enumerated() {
        for isRemoved in [true, false] {
          let lake = LakeStory(whole.files.copy())
          if !hasManifest { try lake.files.remove(Self.manifest) }
          let before = hasManifest ? try lake.files.contents(of: Self.manifest) : nil
          if isRemoved { try lake.files.remove(segment) } else { try lake.files.flipBit(0, ofByte: 300, in: segment) }
          if isRemoved, !hasManifest, index == segments.count - 1 {
            // Nothing shows it.
            #expect(try rebuild(lake.files).count == segments.count - 1)
            continue
          }
          let error = #expect(throws: LogError.self) { try rebuild(lake.files) }
          #expect(error?.code == .damaged && error?.intact == "The manifest was not changed.", "\(index)")
          #expect(try (lake.files.status(of: Self.manifest) != nil) == hasManifest)
          if let before { #expect(try lake.files.contents(of: Self.manifest) == before) }
        }
      }
    }
    for path in [LogStory.path, LakeStory.lake, "/nowhere"] {
      let error = #expect(throws: LogError.self) { try rebuild(whole.files, at: path) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func itIsMadeUnderTheLock() throws {
    let lake = try lake(.closed)
    let shipping = try LogShipping(at: LogStory.path, to: LakeStory.lake, fileSystem: lake.files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    let error = #expect(throws: LogError.self) { try rebuild(lake.files) }
    #expect(error?.code == .locked && error?.message.hasPrefix("another process is shipping this log") == true)
    _ = try pass.finish()
    try rebuild(lake.files)
  }

  /// At every call: the manifest is missing or complete, and a repetition makes it.
  @Test func anInterruptionLeavesNoPartOfIt() throws {
    let whole = try lake(.pruned)
    let original = shipped(Self.later, try entries(whole.files))
    try whole.files.remove(Self.manifest)
    try whole.files.syncDirectory(LakeStory.side)
    var number = 1
    while true {
      let disk = whole.files.copy()
      let door = FaultyFileSystem(disk, faults: [FileFault(number: number)])
      do { try rebuild(door) } catch let error as LogError {
        #expect([.inputOutput, .damaged].contains(error.code), "call \(number): \(error)")
      }
      let crashed = disk.crash(.onlySyncedSurvives)
      for disk in [disk, crashed] {
        if try disk.status(of: Self.manifest) != nil { #expect(try entries(disk) == original, "call \(number)") }
        try rebuild(disk)
        #expect(try entries(disk) == original, "call \(number)")
      }
      if door.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 30)
  }
}
