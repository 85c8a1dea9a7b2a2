import ActionLog
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

/// The log of an inspector: where it ends, and its actions. All methods block.
final class InspectorSource: Sendable {
  struct Tip: Sendable {
    var last: Int
    var durable: Int
    var isClosed: Bool
    /// The error that ends the readable part, or that prevents following the log.
    var damage: ToolFailure?
    /// The number of times that actions were rolled back or redacted, so that they are read again.
    var rollbacks = 0
  }

  private struct Contents: Sendable {
    var tip: Tip
    /// `nil` for a single segment, which does not grow, and after damage.
    var follower: LogFollower?
    var window = RecordWindow<LogRecord>()
    var polled: ContinuousClock.Instant
    /// Whether the last record begins a redaction, which is complete when another record follows.
    var isRedacting = false

    mutating func readAgain() {
      tip.rollbacks += 1
      window = RecordWindow()
    }
  }

  /// The interval at which the log is read, as of `list --follow`.
  static let pollInterval = Duration.milliseconds(200)
  /// The next call continues.
  private static let pollLimit = 100

  let context: CommandContext
  let history: any HistoryHandle
  /// The path as the user entered it.
  let path: String
  /// The revision to begin at; `nil` for the end, wherever that is when a page begins.
  let start: Int?
  private let contents: Locked<Contents>

  var reader: LogReader { history.reader }

  init(_ context: CommandContext) throws {
    self.context = context
    path = try context.logPath()
    history = try context.openHistory(path)
    let reader = history.reader
    let extent = try reader.extent()
    start = try context.arguments.value(of: InspectCommand.at).map(PointResolver(context, reader: reader).revision)
    var tip = Tip(last: extent.lastRevision, durable: try reader.durableRevision(), isClosed: false)
    if case .closed = extent.ending { tip.isClosed = true }
    tip.damage = extent.ending.damage.map { damage in damage.failure }
    let isFollowed = !reader.isSingleSegment && tip.damage == nil
    contents = Locked(
      Contents(
        // From the last action, because control records before the first requested action are not returned.
        tip: tip, follower: isFollowed ? try reader.follower(from: extent.lastRevision) : nil,
        polled: .now))
  }

  /// The end of the log, at most ``pollInterval`` old.
  func tip() -> Tip {
    contents.withLock { contents in
      let now = ContinuousClock.now
      if now - contents.polled >= Self.pollInterval {
        contents.polled = now
        poll(&contents)
      }
      return contents.tip
    }
  }

  private func poll(_ contents: inout Contents) {
    for _ in 0..<Self.pollLimit {
      do throws(LogError) {
        guard let records = try contents.follower?.poll(), !records.isEmpty else { break }
        for record in records {
          contents.tip.last = max(contents.tip.last, record.revision)
          contents.tip.isClosed = record.type == ControlType.close.rawValue
          let isRedaction = record.type == ControlType.redact.rawValue
          if isRedaction || contents.isRedacting { contents.readAgain() }
          contents.isRedacting = isRedaction
        }
      } catch {
        if error.code == .rejected {
          contents.readAgain()
          contents.tip.last = max(reader.firstRevision, (error.revision ?? contents.tip.durable + 1) - 1)
          continue
        }
        contents.tip.damage = error.failure
        contents.follower = nil
        break
      }
    }
    contents.tip.durable = min(contents.tip.last, max(contents.tip.durable, contents.follower?.durableRevision ?? 0))
  }
}

// MARK: - Answers

extension InspectorSource {
  func description() throws -> JSONObject {
    let tip = tip()
    let (marks, failure) = try context.readableMarks(of: reader)
    var notices = [failure?.text, context.sentence(onFlawsOf: marks, of: reader)].compactMap(\.self)
      .map(context.wording.message)
    if reader.firstRevision > 0 {
      notices.append("the log begins at revision \(reader.firstRevision): earlier actions were pruned")
    }
    if reader.isSingleSegment { notices.append("this is one segment of a log, which is not followed") }
    var object: JSONObject = [
      "path": .string(path), "model": .string(reader.header.model), "log": .string(reader.header.log),
      "schema": .integer(reader.header.schema), "first": .integer(reader.firstRevision),
    ]
    for member in json(of: tip) { object[member.name] = member.value }
    object["at"] = start.map { start in .integer(min(start, tip.last)) }
    object["tool"] = .string("\(context.tool.name) \(context.tool.version)")
    object["marks"] = try AnswerShape.array(of: .mark).json(marks.marks)
    object["marksVersion"] = .integer(try marksVersion())
    object["options"] = .array(context.modelOptions.map(JSONValue.string))
    object["projection"] = history.projection.map { projection in .string(projection.name) }
    let model = context.arguments.value(of: .model) ?? reader.header.model
    // A branch of a projection cannot be folded by another model.
    let isFoldable = history.projection == nil && model != RegisteredModel.patched.name
    let others = isFoldable ? context.tool.models.filter { other in other.name != model && !other.isPatched } : []
    object["models"] = .array(others.map { other in .string(other.name) })
    object["writes"] = allowsMarks ? ["marks"] : []
    object["notices"] = .array(notices.map(JSONValue.string))
    return object
  }

  /// A number that differs after the marks have changed: the size of their file. Changes between two requests that leave the size as it
  /// was are found with the next change.
  func marksVersion() throws -> Int {
    guard !reader.isSingleSegment else { return 0 }
    return try context.files.status(of: reader.path + "/" + LogFormat.marksName)?.sizeBytes ?? 0
  }

  private var allowsMarks: Bool { context.arguments.has(InspectCommand.allowMarks) }

  /// Like the command `mark`.
  func addMark(_ body: inout InspectorQuery) throws -> JSONObject {
    let (name, remark) = (try body.text("name"), try body.optionalText("remark"))
    let revision = try body.integer("revision")
    try body.finish()
    try requireMarks([String(revision), name] + [remark].compactMap(\.self))
    return try AnswerShape.mark.members(
      of: context.mark(
        name, at: revision, remark: remark, of: reader, time: context.environment.logEnvironment.now()))
  }

  /// Like `mark --remove`.
  func removeMark(_ name: String) throws -> JSONObject {
    try requireMarks(["--remove", name])
    var object = try AnswerShape.mark.members(
      of: context.unmark(name, of: reader, time: context.environment.logEnvironment.now()))
    // The removal is durable. Its lines go, too, because the name or the remark may be private.
    do { try context.markStore(of: reader).eraseRemovedMarks() } catch {
      object["warning"] = .string("the name and the remark of the mark are still in the file: \(error)")
    }
    return object
  }

  /// - Parameter words: The words of the command `mark` that does the same.
  private func requireMarks(_ words: [String]) throws(RequestFailure) {
    guard !allowsMarks else { return }
    let command = context.commandLine(["mark", path] + words)
    throw RequestFailure(
      .forbidden, "notAllowed", "the page may not change marks",
      advice: "Start 'inspect' with --allow-marks, or type: \(command)")
  }

  func json(of tip: Tip) -> JSONObject {
    var object: JSONObject = [
      "last": .integer(tip.last), "durable": .integer(tip.durable), "isClosed": .bool(tip.isClosed),
      "rollbacks": .integer(tip.rollbacks),
    ]
    object["damage"] = tip.damage.map { damage in .string(context.wording.message(damage.text)) }
    return object
  }

  func actions(_ query: inout InspectorQuery) throws -> JSONObject {
    let tip = tip()
    if let text = try query.optionalText("revisions", upTo: .max) {
      let revisions = text.split(separator: ",").compactMap { part in Int(part) }
      guard revisions.count <= InspectorLimits.rows, revisions.map(String.init).joined(separator: ",") == text,
        revisions.allSatisfy({ revision in revision > reader.firstRevision })
      else { throw InspectorQuery.wrong("'revisions' is not a list of revisions, like 3,17") }
      return ["last": .integer(tip.last), "actions": .array(try actions(revisions[...], tip))]
    }
    let count = try query.count()
    let from = max(reader.firstRevision + 1, try query.integer("from", or: reader.firstRevision + 1))
    let revisions = (min(from, tip.last + 1)..<tip.last + 1).prefix(count)
    return [
      "last": .integer(tip.last), "total": .integer(tip.last - reader.firstRevision),
      "actions": .array(try actions(Array(revisions)[...], tip)),
    ]
  }

  func actions(_ revisions: ArraySlice<Int>, _ tip: Tip) throws -> [JSONValue] {
    try contents.withLock { contents in
      try revisions.compactMap { revision in
        try contents.window.value(at: revision, in: reader, last: tip.last) { batch, index in batch.record(at: index) }
          .map { record in try Self.row(record, tip) }
      }
    }
  }

  private static func row(_ record: LogRecord, _ tip: Tip) throws -> JSONValue {
    var object = InspectorText.heading(of: record)
    let meta = try RecordMeta(of: record)
    object["actor"] = meta.actor.map { actor in .string(InspectorText.name(actor)) }
    object["cause"] = meta.cause.map(JSONValue.integer)
    object["durable"] = .bool(record.revision <= tip.durable)
    for (name, value) in InspectorText.summary(of: record) { object[name] = value }
    return .object(object)
  }

  /// One action with everything that the log has about it.
  func action(_ revision: Int) throws -> JSONObject {
    let record = try reader.record(at: revision)
    var object = InspectorText.heading(of: record)
    let isCut = record.rawLine.count > InspectorLimits.recordBytes
    if !isCut {
      object["type"] = .string(record.type)
      object["data"] = try JSONValue(parsing: record.dataBytes)
      if let meta = record.meta { object["meta"] = try JSONValue(parsing: meta) }
      let (actions, isOpaque) = try history.reading(of: record)
      let forms = try actions.map { form -> JSONValue in
        ["type": .string(form.type), "data": try JSONValue(parsing: form.data)]
      }
      let stored: JSONValue = ["type": .string(record.type), "data": object["data"] ?? .null]
      if isOpaque || forms != [stored] { object["readAs"] = .array(forms) }
    }
    object["durable"] = .bool(record.revision <= tip().durable)
    object["file"] = .string(record.place.path)
    object["line"] = .integer(try reader.lineNumber(of: record.place))
    object["byteOffset"] = .integer(record.place.byteOffset)
    object["cut"] = .bool(isCut)
    return object
  }
}
