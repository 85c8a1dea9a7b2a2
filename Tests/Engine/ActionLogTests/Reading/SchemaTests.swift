import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import Testing

/// All actions of a segment have one schema. If they do not, every reader reports it, no matter where it starts.
@Suite("The schema in force", .timeLimit(.minutes(60)))
struct SchemaTests {
  private static let header =
    #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":2,"first":1,"epoch":1,"created":"\#(RawLog.time)"}"#

  private static func openData(schema: Int) -> String {
    #"{"epoch":2,"schema":\#(schema),"program":"p","pid":1,"host":"h"}"#
  }

  /// More than a search reads at its end.
  private static let count = 400

  /// A log with actions of schema 2, an `@open` with another schema, and two more actions.
  private func changedStory(to schema: Int) throws -> LogStory {
    var log = RawLog(header: Self.header)
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    log.line(revision: Self.count, type: "@open", synced: Self.count, data: Self.openData(schema: schema))
    for revision in Self.count + 1...Self.count + 2 {
      log.line(revision: revision, synced: Self.count, data: #"{"_0":\#(revision)}"#)
    }
    return try log.story()
  }

  @Test(arguments: [1, 3])
  func schemaChangeAfterActionsIsDamage(schema: Int) throws {
    let story = try changedStory(to: schema)
    let message = "the schema changes from 2 to \(schema) after actions of the segment"
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .damaged)
    #expect(report.problems.map(\.kind) == [.schemaChangedInSegment])
    #expect(report.problems.first?.message == message)
    #expect(report.problems.first?.line == Self.count + 2)
    #expect(report.lastRevision == Self.count)

    let refusal = #expect(throws: LogError.self) { try story.open(schema: 3) }
    #expect(refusal?.code == .damaged)
    #expect(refusal?.message == message)
    #expect(refusal?.line == Self.count + 2)
    for revision in [0, 1, 7, Self.count - 1, Self.count] {
      let (actions, ending) = try story.read(from: revision)
      #expect(actions == Array(max(1, revision)...Self.count), "from \(revision)")
      #expect(ending?.damage?.message == message, "from \(revision)")
    }
    let reader = try story.reader()
    #expect(try reader.extent().lastRevision == Self.count)
    for revision in Self.count + 1...Self.count + 2 {
      #expect(#expect(throws: LogError.self) { try reader.record(at: revision) }?.message == message)
    }
    var follower = try reader.follower(from: Self.count - 1)
    #expect(try follower.poll().map(\.number) == [Self.count - 1, Self.count])
    #expect(#expect(throws: LogError.self) { try follower.poll() }?.message == message)
  }

  /// After such a line, the schema of the actions is unknown up to the end of the segment.
  @Test func lastRecordsOmitActionsOfUnknownSchema() throws {
    let story = try changedStory(to: 1)
    let end = Self.count + 2
    let digits = try #require(try story.lines().last).suffix(10).prefix(8)
    let prev = try #require(UInt32(digits, radix: 16))
    var second = RawLog(
      first: end + 1, prev: prev, header: Self.header.replacing(#""first":1"#, with: #""first":\#(end + 1)"#))
    for revision in end + 1...end + 2 { second.line(revision: revision, synced: end, data: #"{"_0":\#(revision)}"#) }
    try story.files.setContents(second.bytes, of: story.segment(end + 1))
    let found = try story.reader().lastRecords(10) { record in !record.isControl }
    #expect(found.records.map(\.number) == [end + 1, end + 2])
    #expect(found.damage?.line == Self.count + 2)
  }

  @Test func schemaChangeBeforeFirstActionIsInForce() throws {
    var log = RawLog(header: Self.header)
    log.line(revision: 0, type: "@open", data: Self.openData(schema: 3))
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    log.line(revision: Self.count, type: "@open", synced: Self.count, data: Self.openData(schema: 3))
    let story = try log.story()
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    let reader = try story.reader()
    for revision in [1, 7, Self.count] { #expect(try reader.record(at: revision).schema == 3) }
    #expect(#expect(throws: LogError.self) { try story.open(schema: 2) }?.code == .schemaTooNew)
    #expect(try story.open(schema: 3).opening.lastRevision == Self.count)
  }

  /// Writers that began a segment for salts under a newer schema once stated the older one in `@open`.
  @Test func misstatedSchemaIsReportedAndRepaired() throws {
    var log = RawLog(header: Self.header)
    log.line(revision: 0, type: "@open", data: Self.openData(schema: 1).replacing(#""epoch":2"#, with: #""epoch":1"#))
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    let story = try log.story()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean)
    #expect(report.warnings.map(\.kind) == [.misstatedSchema, .missingHead])
    #expect(report.warnings.first?.line == 2)
    let reader = try story.reader()
    for revision in [1, 7, Self.count] { #expect(try reader.record(at: revision).schema == 2) }
    #expect(#expect(throws: LogError.self) { try story.open(schema: 1) }?.code == .schemaTooNew)

    _ = try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    let saved = try LogVerifier.verify(at: "/saved", fileSystem: story.files)
    #expect(saved.verdict == .clean && saved.warnings.isEmpty)
    #expect(try LogReader.open(at: "/saved", fileSystem: story.files).record(at: Self.count).schema == 2)

    // The next writer continues it, in the same segment.
    let writer = try story.open(schema: 2)
    try writer.appendNow([.numbered(Self.count + 1)])
    try writer.closeNow()
    #expect(try story.reader().record(at: Self.count + 1).schema == 2)
    #expect(try story.reader().segments.count == 1)
  }

  /// A program of the older schema that opened the segment before any action recorded in its own.
  @Test func actionsOfAnotherWriterKeepTheirSchema() throws {
    var log = RawLog(header: Self.header)
    log.line(revision: 0, type: "@open", data: Self.openData(schema: 1).replacing(#""epoch":2"#, with: #""epoch":1"#))
    log.line(revision: 0, type: "@open", data: Self.openData(schema: 1))
    for revision in 1...Self.count { log.line(revision: revision, synced: revision - 1, data: #"{"_0":\#(revision)}"#) }
    let story = try log.story()
    for revision in [1, Self.count] { #expect(try story.reader().record(at: revision).schema == 1) }
  }

  /// Regression: salvage wrote such actions with the schema of those before the gap.
  @Test func salvageOmitsActionsOfOlderSchema() throws {
    let story = try changedStory(to: 1)
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    #expect(report.lastRevision == Self.count)
    #expect(report.afterGapCount == 3, "they are kept next to the log")
    let saved = try LogReader.open(at: "/saved", fileSystem: story.files)
    #expect(try saved.record(at: Self.count).schema == 2)
  }

  /// Two segments, the second with an older schema. The format allows this, but no writer of the engine produces it.
  @Test func olderSegmentIsReadButNotSalvagedAfterNewer() throws {
    var first = RawLog(header: Self.header)
    first.line(revision: 1, data: #"{"_0":1}"#)
    var second = RawLog(first: 2, prev: first.prev)
    second.line(revision: 2, synced: 1, data: #"{"_0":2}"#)
    let story = try first.story()
    try story.files.setContents(second.bytes, of: story.segment(2))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
    for start in [0, 1, 2] {
      var records = try story.reader().records(from: start)
      var schemas: [Int: Int] = [:]
      while let record = try records.next() { if !record.isControl { schemas[record.revision] = record.schema } }
      #expect(schemas == (start < 2 ? [1: 2, 2: 1] : [2: 1]))
    }
    let error = #expect(throws: LogError.self) {
      try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: story.files, environment: .test())
    }
    #expect(error?.code == .invalidRecord)
    #expect(error?.revision == 2)
    #expect(try story.files.status(of: "/saved") == nil)
  }
}

/// Everything that an opening can change at once. Each writer's actions have its schema, wherever a reader starts.
@Suite("Openings that change several things", .timeLimit(.minutes(60)))
struct CombinedOpeningTests {
  /// The end of the log that the second program finds.
  enum Ending: CaseIterable {
    case closed, abandoned, torn, interruptedRedaction, interruptedPruning
  }

  /// The second program, and the log that it finds.
  struct Opening: CustomStringConvertible {
    var ending: Ending
    var hasActions: Bool
    var isPruned: Bool
    var wasSalted: Bool
    var getsSalts: Bool
    var schema: Int
    var age: LogConfiguration.SegmentAge?
    /// Whether the second program was opened and closed before, without an action.
    var wasTried: Bool

    var description: String {
      "\(ending), actions \(hasActions), pruned \(isPruned), salted \(wasSalted) then \(getsSalts), schema \(schema), \(age as Any), tried \(wasTried)"
    }

    /// Whether such a log exists.
    var isPossible: Bool {
      switch ending {
      case .interruptedRedaction: wasSalted && hasActions
      case .interruptedPruning: hasActions && !isPruned
      case .closed, .abandoned, .torn: hasActions || !isPruned
      }
    }
  }

  static func openings(_ ending: Ending) -> [Opening] {
    // Each bit answers a question.
    return (0..<128).map { bits in
      func answer(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
      return Opening(
        ending: ending, hasActions: answer(0), isPruned: answer(1), wasSalted: answer(2), getsSalts: answer(3),
        schema: answer(4) ? 2 : 1, age: answer(5) ? .duration(.microseconds(1)) : nil, wasTried: answer(6))
    }.filter(\.isPossible)
  }

  private static let count = 8

  /// Runs an operation up to the first call before which the log has a warning, and returns the disk of that moment.
  private func interrupted(
    _ story: LogStory, at kind: LogProblem.Kind, _ operation: (LogStory) throws -> Void
  ) throws -> MemoryFileSystem {
    let moment = Locked<MemoryFileSystem?>(nil)
    var working = story
    working.door = FaultyFileSystem(story.files) { call in
      guard [.rename, .remove, .sync].contains(call.operation), moment.withLock({ $0 == nil }) else { return }
      let copy = story.files.copy()
      do throws(LogError) {
        let report = try LogVerifier.verify(at: LogStory.path, fileSystem: copy)
        if report.warnings.contains(where: { warning in warning.kind == kind }) {
          moment.withLock { moment in moment = copy }
        }
      } catch {
        Issue.record("before \(call): \(error)")
      }
    }
    try operation(working)
    return try #require(moment.withLock { moment in moment })
  }

  /// Creates the log, in segments of a few actions of schema 1.
  private func makeLog(_ opening: Opening) throws -> LogStory {
    var story = LogStory(segmentLimitBytes: 600)
    story.configuration.redactable = opening.wasSalted
    try story.record(opening.hasActions ? Self.count : 0)
    if opening.isPruned { try story.prune(before: 5) }
    switch opening.ending {
    case .closed: break
    case .abandoned: try story.record(0, close: false)
    case .torn:
      let last = try #require(try story.reader().segments.last)
      try story.files.setContents(
        try story.files.contents(of: last.path) + Array(#"{"seq":9,"ti"#.utf8), of: last.path)
    case .interruptedRedaction:
      let files = try interrupted(story, at: .unfinishedRedaction) { story in try redact(6, in: story) }
      story = continued(story, on: files)
    case .interruptedPruning:
      let files = try interrupted(story, at: .unfinishedPruning) { story in try story.prune(before: 5) }
      story = continued(story, on: files)
    }
    story.configuration.redactable = opening.getsSalts
    story.configuration.segmentAge = opening.age
    return story
  }

  @Test(arguments: Ending.allCases)
  func eachActionHasItsWritersSchema(_ ending: Ending) throws {
    let openings = Self.openings(ending)
    #expect(openings.count >= 16)
    for opening in openings {
      let comment: Comment = "\(opening)"
      let story = try makeLog(opening)
      let last = opening.hasActions ? Self.count : 0
      if opening.wasTried {
        // An opening alone leaves the log to programs with the old schema.
        try story.open(schema: opening.schema).closeNow()
        #expect(try story.reader().extent().schema == 1, comment)
      }
      let writer = try story.open(schema: opening.schema)
      #expect(writer.opening.lastRevision == last, comment)
      #expect(writer.opening.isRedactable == (opening.wasSalted || opening.getsSalts), comment)
      for number in last + 1...last + 4 { try writer.appendNow([.numbered(number)]) }
      try writer.closeNow()

      let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
      #expect(report.verdict == .clean && report.warnings.isEmpty, "\(opening): \(report.problems) \(report.warnings)")
      let reader = try story.reader()
      let first = (reader.base?.revision ?? 0) + 1
      var records = try reader.records()
      var schemas: [Int: Int] = [:]
      while let record = try records.next() {
        guard !record.isControl else { continue }
        schemas[record.revision] = record.schema
        let isSalted = if case .salted = try record.rawLine.withForm().kind { true } else { false }
        if record.revision > last { #expect(isSalted == writer.opening.isRedactable, "\(opening): \(record.revision)") }
      }
      for revision in first...last + 4 {
        let expected = revision > last ? opening.schema : 1
        #expect(schemas[revision] == expected, "\(opening): \(revision)")
        #expect(try reader.record(at: revision).schema == expected, "\(opening): from \(revision)")
      }
      #expect(try reader.isRedactable() == writer.opening.isRedactable, comment)
      if opening.schema > 1 {
        #expect(#expect(throws: LogError.self) { try story.open(schema: 1) }?.code == .schemaTooNew, comment)
      }
      // Salts that are announced are there when they are needed.
      guard writer.opening.isRedactable else { continue }
      try redact(last + 1, in: story)
      #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean, comment)
      let line = try story.reader().record(at: last + 1).rawLine
      let isRedacted = if case .redacted = try line.withForm().kind { true } else { false }
      #expect(isRedacted, comment)
    }
  }

  /// A program with the same clock.
  private func continued(_ story: LogStory, on files: MemoryFileSystem) -> LogStory {
    var next = LogStory(files)
    next.configuration = story.configuration
    return next
  }

  /// Erases the value of an action.
  private func redact(_ revision: Int, in story: LogStory) throws {
    _ = try LogRedaction.redact(
      at: LogStory.path, reason: "test", fileSystem: story.door, environment: story.configuration.environment
    ) { reader in
      var records = try reader.records()
      var index = reader.base?.lineCount ?? 0
      while let record = try records.next(), record.isControl || record.revision < revision { index += 1 }
      return [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data", "_0"]))])]
    }
  }
}
