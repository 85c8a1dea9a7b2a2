import ActionLog
import ActionLogTesting
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

extension InspectorService {
  /// Blocks.
  func startJob(_ body: inout InspectorQuery) throws -> JSONObject {
    let job: InspectorJob
    switch try body.text("kind") {
    case "go": job = try startMove(&body)
    case "filter": job = try startFilter(&body)
    case "blame": job = try startBlame(&body)
    case "history": job = try startHistory(&body)
    case let kind where ["first", "last", "bisect"].contains(kind): job = try startSearch(kind, &body)
    case "minimize": job = try startMinimizing(&body)
    case "test": job = try startTest(&body)
    case "what-if": job = try startWhatIf(&body)
    case "bug-report": job = try startBugReport(&body)
    case let kind: throw InspectorQuery.wrong("there is no kind of job '\(kind.prefix(100))'")
    }
    return ["job": .string(String(job.number))]
  }

  private func startMove(_ body: inout InspectorQuery) throws -> InspectorJob {
    let name = try body.viewName()
    let (at, base) = (try body.integer("at"), try body.optionalInteger("base"))
    let branch = try body.optionalText("branch")
    try body.finish()
    let view = try branch.map(self.branch) ?? views.view(named: name)
    return try jobs.start(command: nil, moving: branch.map { branch in "branch \(branch)" } ?? name) {
      [views] _, options in
      let start = view.isBranch ? nil : try views.start(knowing: max(at, base ?? 0))
      var place = start?.place ?? view.place
      if at > place.revisions.upperBound { try place.refresh() }
      try InspectorView.check([at, base ?? at], in: place.revisions)
      let result = Result { try place.move(to: at, comparedWith: view.isBranch ? nil : base, options) }
      // Also the states of a canceled move: the next one begins with them.
      if let start { views.adopt(place, since: start.rollbacks) }
      try result.get()
      view.adopt(place)
      return InspectorJob.Answer(json: ["revision": .integer(at)])
    }
  }

  private func startFilter(_ body: inout InspectorQuery) throws -> InspectorJob {
    let text = try body.optionalText("text") ?? ""
    let without = try Set((body.texts("without") ?? []).map(ExactName.init))
    let range = try range(&body)
    try body.finish()
    let search = try ActionSearch(text)
    return try jobs.start(command: nil) { [self] job, options in
      let hints = try search.run(
        in: source.history, from: range.lowerBound, upTo: range.upperBound,
        where: { record in without.isEmpty || !without.contains(ExactName(InspectorText.name(record.type))) },
        isCancelled: options.isCancelled
      ) { finding in
        // A full list takes no more, and the answer says so.
        job.add(finding.revisions)
        job.note(reached: finding.reached, of: range.upperBound)
      }
      return InspectorJob.Answer(
        json: ["count": .integer(job.resultCount), "isCut": .bool(job.resultCount == InspectorJob.revisionLimit)],
        hints: hints)
    }
  }

  private func startBlame(_ body: inout InspectorQuery) throws -> InspectorJob {
    let path = try body.path()
    let at = try body.optionalInteger("at") ?? source.tip().last
    try body.finish()
    return try jobs.start(command: command("blame", [path.description], ["--at", String(at)])) {
      [self] job, options in
      // The states of a search over the complete log are far apart, and few of them help the next question.
      var place = try views.start(knowing: at).place
      let answer = try place.ask { walk in try walk.blame(path, at: at, options: options) }
      var object: JSONObject = ["path": .string(path.description), "revision": .integer(answer.revision)]
      object["value"] = answer.value.map { value in .string(InspectorText.line(value).text) } ?? .null
      object["change"] = try answer.change.map { change in .object(try InspectorText.json(change)) } ?? .null
      return InspectorJob.Answer(json: .object(object))
    }
  }

  private func startHistory(_ body: inout InspectorQuery) throws -> InspectorJob {
    let path = try body.path()
    let range = try range(&body)
    try body.finish()
    return try jobs.start(command: command("history", [path.description], options(of: range))) {
      [self] job, options in
      var isNumeric = true
      var hasRoom = true
      _ = try source.history.changes(of: [path], in: range, options: options) { change in
        for value in [change.old, change.new] {
          if let value, value.kindName != "number" { isNumeric = false }
        }
        hasRoom = job.add(.object(try InspectorText.json(change)))
        return hasRoom
      }
      return InspectorJob.Answer(
        json: [
          "count": .integer(job.resultCount), "isNumeric": .bool(isNumeric && job.resultCount > 0),
          "isCut": .bool(!hasRoom),
        ])
    }
  }

  private func startSearch(_ kind: String, _ body: inout InspectorQuery) throws -> InspectorJob {
    let condition = try Condition(parsing: body.text("condition"))
    let range = try range(&body)
    try body.finish()
    let history = source.history
    let mode = kind == "first" ? [] : ["--\(kind)"]
    return try jobs.start(command: command("find", [condition.text], mode + options(of: range))) { _, options in
      var object = JSONObject()
      let (revision, record, work): (Int?, LogRecord?, QuestionWork)
      if kind == "bisect" {
        let answer = try history.bisect(condition, in: range, options: options)
        (revision, record, work) = (answer.revision, answer.record, answer.work)
        object["isMonotonic"] = .bool(answer.isMonotonic)
        object["wasScanned"] = .bool(answer.wasScanned)
      } else {
        let answer = try history.revision(where: condition, in: range, isLast: kind == "last", options: options)
        (revision, record, work) = (answer.revision, answer.record, answer.work)
      }
      object["revision"] = revision.map(JSONValue.integer) ?? .null
      object["action"] = record.map(InspectorText.heading) ?? .null
      return InspectorJob.Answer(json: .object(object), hints: try work.allHints())
    }
  }

  private func startMinimizing(_ body: inout InspectorQuery) throws -> InspectorJob {
    let condition = try Condition(parsing: body.text("condition"))
    let at = try body.optionalInteger("at") ?? source.tip().last
    try body.finish()
    let line = command("minimize", [condition.text], ["--at", String(at)])
    return try jobs.start(command: line) { [self] _, options in
      let found = try source.history.minimizedRecords(condition, at: at, options: options)
      return InspectorJob.Answer(
        json: [
          "revisions": .array(found.records.map { record in .integer(record.revision) }),
          "actions": .array(found.records.prefix(InspectorLimits.rows).map(InspectorText.heading)),
          "paths": .array(condition.pointers.map { pointer in .string(pointer.description) }),
          "of": .integer(found.originalCount),
          "isMinimal": .bool(found.isMinimal), "trials": .integer(found.trials),
        ])
    }
  }

  private func startTest(_ body: inout InspectorQuery) throws -> InspectorJob {
    let minimized = try body.optionalText("minimize").map(Condition.init(parsing:))
    let expected = try body.optionalText("expect").map(Condition.init(parsing:))
    let range = try range(&body)
    try body.finish()
    let name = "ReplayTests.swift"
    let options =
      (minimized.map { condition in ["--minimize", condition.text] } ?? [])
      + (expected.map { condition in ["--expect", condition.text] } ?? []) + ["--output", name]
    let line = command("test", [String(range.lowerBound), String(range.upperBound)], options)
    return try jobs.start(command: line) { [self] _, options in
      let test = try source.history.replayTest(
        of: range, minimizedFor: minimized, expecting: expected,
        isTestable: false, options: options)
      let bytes = Array(test.source.utf8)
      guard bytes.count <= InspectorLimits.fileBytes else { throw RequestFailure.tooLarge("the test", bytes.count) }
      return InspectorJob.Answer(
        json: [
          "name": .string(name), "bytes": .integer(bytes.count), "actions": .integer(test.actionCount),
          "of": .integer(test.originalCount), "passes": .bool(test.holdsAlready ?? true),
        ], file: InspectorJob.File(name: name, bytes: bytes), hints: test.hints)
    }
  }

  private func startBugReport(_ body: inout InspectorQuery) throws -> InspectorJob {
    let remark = try body.optionalText("remark")
    let actions = try range(&body)
    try body.finish()
    // The range begins with the state before its first action.
    let range = max(source.reader.firstRevision, actions.lowerBound - 1)...actions.upperBound
    let name = "bug-report.jsonl"
    let words = [actions.lowerBound, actions.upperBound].map(String.init)
    let options = ["--output", name] + (remark.map { remark in ["--remark", remark] } ?? [])
    let line = command("bug-report", words, options)
    return try jobs.start(command: line) { [source, fileLimit] _, options in
      // Nothing is written to the disk. The other files of the unfinished log are short.
      let files = MemoryFileSystem(capacityBytes: fileLimit + 1 << 20)
      let tooLarge = RequestFailure.tooLarge(
        "the bug report", "more than \(fileLimit)", advice: "Write it with: \(line)")
      let report: BugReport
      do {
        report = try source.history.writeBugReport(
          of: range, to: name, on: files, remark: remark, against: source.context.witness(source.path),
          environment: source.context.environment.logEnvironment, options: options)
      } catch let error as LogError where error.code == .noSpace {
        throw tooLarge
      }
      let bytes = try files.contents(of: name)
      guard bytes.count <= fileLimit else { throw tooLarge }
      var object: JSONObject = [
        "name": .string(name), "bytes": .integer(bytes.count), "actions": .integer(report.last - report.first),
      ]
      for (name, value) in report.json { object[name] = value }
      return InspectorJob.Answer(json: .object(object), file: InspectorJob.File(name: name, bytes: bytes))
    }
  }

  /// The range of a question: `from` to `to`, or else the complete log.
  private func range(_ body: inout InspectorQuery) throws -> ClosedRange<Int> {
    let (first, last) = (source.reader.firstRevision, source.tip().last)
    let from = try body.optionalInteger("from") ?? first
    let to = try body.optionalInteger("to") ?? last
    guard from <= to else { throw InspectorQuery.wrong("the range from \(from) to \(to) is empty") }
    try InspectorView.check([from, to], in: first...max(first, last))
    return from...to
  }

  /// None for the complete log.
  private func options(of range: ClosedRange<Int>) -> [String] {
    let from = range.lowerBound == source.reader.firstRevision ? [] : ["--from", String(range.lowerBound)]
    return from + (range.upperBound == source.tip().last ? [] : ["--to", String(range.upperBound)])
  }

  /// A command line that asks the same in a shell.
  private func command(_ verb: String, _ words: [String], _ options: [String]) -> String {
    let all = ["action-log", verb, source.path] + words + options + source.context.modelOptions
    return all.map(ShellWord.quoted).joined(separator: " ")
  }
}

// MARK: - What if

extension InspectorService {
  private func startWhatIf(_ body: inout InspectorQuery) throws -> InspectorJob {
    let parser = HistoryEditParser(source.context, reader: source.reader)
    var words: [String] = []
    // Each as an option of the command: its name, a space and its value.
    let edits = try (body.texts("edits") ?? []).map { text in
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2,
        let option = HistoryEditParser.options.first(where: { option in option.name == parts[0] })
      else { throw InspectorQuery.wrong("an edit begins with 'skip', 'replace', 'insert' or 'move'") }
      words += ["--\(option.name)", parts[1]]
      return try parser.edit(parts[1], of: option)
    }
    let other = try body.optionalText("with").map { name in
      guard source.history.projection == nil else {
        throw InspectorQuery.wrong("'with' needs the state of a model, and the page shows a projection")
      }
      words += ["--\(WhatIfCommand.with.name)", name]
      return try source.context.model(named: name)
    }
    guard !edits.isEmpty || other != nil else {
      throw InspectorQuery.wrong("'edits' is empty, and 'with' names no other model")
    }
    try body.finish()
    let tip = source.tip()
    let question = WhatIfQuestion(
      edits: edits, last: tip.last, target: nil, environment: source.context.environment.logEnvironment)
    // An impossible edit is refused at once.
    var place = try views.start(knowing: tip.last).place
    let walk = try place.ask { walk in try walk.branch(edits, foldedBy: other, upTo: question.last) }
    let branch = InspectorJob.Branch(
      view: InspectorView(try HistoryPlace(walk), isBranch: true), rollbacks: tip.rollbacks)
    let line = command("what-if", words, [])
    return try jobs.start(command: line) { [self] job, options in
      let result = try source.history.whatIf(question, foldedBy: other, options: options)
      return InspectorJob.Answer(
        json: try WhatIfCommand.shape(branch: [.optional("branch", .text, \.branch)]).json(
          WhatIfCommand.Answer(result: result, branch: String(job.number))), branch: branch)
    }
  }
}

extension InspectorText {
  static func json(_ change: ValueChange) throws -> JSONObject {
    var object = heading(of: change.record)
    object["actor"] = try RecordMeta(of: change.record).actor.map { actor in .string(name(actor)) }
    for (name, value) in [("old", change.old), ("new", change.new)] {
      if let value { object[name] = .string(line(value).text) }
    }
    return object
  }

  static func heading(_ record: LogRecord) -> JSONValue { .object(heading(of: record)) }

  static func heading(of record: LogRecord) -> JSONObject {
    ["seq": .integer(record.revision), "time": .string(record.time.description), "type": .string(name(record.type))]
  }
}
