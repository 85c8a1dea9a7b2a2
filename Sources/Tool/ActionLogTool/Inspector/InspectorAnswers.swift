import ActionLog
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

// The answers that take more than one part of the service: the log with its index, the news, and causes.
extension InspectorService {
  func description() throws -> JSONObject {
    let indexed = index.reached
    catchUp(to: source.tip())
    var object = try source.description()
    object["indexed"] = .integer(indexed)
    if index.isCut, case .array(let notices)? = object["notices"] {
      object["notices"] = .array(notices + [.string("the timeline shows only the newest \(index.count) actions")])
    }
    return object
  }

  private func catchUp(to tip: InspectorSource.Tip) {
    index.catchUp(to: tip) { [isStopping] in isStopping.withLock { flag in flag } }
  }

  /// Returns what a page shows at a revision: the action, and what its view has (``InspectorView/shown(_:orEnd:)``). If the state has
  /// to be folded first, only the action.
  func place(_ body: inout InspectorQuery) throws -> JSONObject {
    let view = try view(&body)
    var object = try view.shown(&body, orEnd: source.tip().last)
    if !view.isBranch, case .number(let number)? = object["revision"], let at = number.int,
      at > source.reader.firstRevision
    {
      // As text, because the page reads its numbers exactly.
      object["action"] = .string(String(decoding: JSONValue.object(try source.action(at)).bytes(), as: UTF8.self))
    }
    return object
  }

  /// Answers when there is news of the log or its marks, or when the time is up.
  ///
  /// - Parameter body: What a page that follows the log shows of its end, as ``place(_:)`` takes it. The answer then has that, and the
  ///   new actions.
  func follow(_ query: InspectorQuery, _ body: InspectorQuery?) async throws -> JSONValue {
    var query = query
    let after = try query.integer("after")
    let marks = try query.integer("marks")
    let wait = try query.integer("wait", or: 0, upTo: InspectorLimits.followSeconds)
    try query.finish()
    let waiting = withFollowers { count in
      count += 1
      return count
    }
    defer { withFollowers { count in count -= 1 } }
    // Requests of closed tabs keep waiting, and must not take all places of the server.
    let end = ContinuousClock.now + .seconds(waiting > InspectorLimits.followers ? 0 : wait)
    var first: JSONObject?
    while true {
      let (tip, marksVersion) = try await BlockingWork.run { [source] in (source.tip(), try source.marksVersion()) }
      catchUp(to: tip)
      var news = source.json(of: tip)
      news["indexed"] = .integer(index.reached)
      news["marksVersion"] = .integer(marksVersion)
      let isNew = tip.last != after || marksVersion != marks
      if isNew || first.map({ first in first != news }) ?? false || ContinuousClock.now >= end
        || isStopping.withLock({ flag in flag }) || Task.isCancelled
      {
        guard let body, !body.isEmpty, tip.last > after else { return .object(news) }
        return await BlockingWork.run { [self, news] in
          var (object, body) = (news, body)
          if tip.last - after <= InspectorLimits.openedRows {
            do { object["actions"] = .array(try source.actions(Array(after + 1...tip.last)[...], tip)) } catch {}
          }
          // The page asks again for what has failed here, and shows why.
          do { object["place"] = .object(try place(&body)) } catch {}
          return .object(object)
        }
      }
      first = news
      // A canceled wait answers at once.
      do { try await Task.sleep(for: InspectorSource.pollInterval) } catch {}
    }
  }

  /// The actions that led to one, and those that follow from it, as `list --cause` selects them.
  func causes(_ query: inout InspectorQuery) throws -> JSONObject {
    let at = try query.integer("at")
    let count = try query.count()
    let tip = source.tip()
    try InspectorView.check([at], in: source.reader.firstRevision + 1...max(source.reader.firstRevision + 1, tip.last))
    catchUp(to: tip)
    var chain = try CausalChain(causesOf: at, in: source.reader, limit: InspectorLimits.rows)
    let isCut = chain.count > InspectorLimits.rows || index.isCut
    index.addEffects(to: &chain, limit: InspectorLimits.causes)
    let tree = chain.tree()
    // The action is on the page that is answered first.
    let place = tree.firstIndex { node in node.revision == at } ?? 0
    let offset = max(0, place - count / 2)
    let page = tree.dropFirst(offset).prefix(count)
    let depths = Dictionary(uniqueKeysWithValues: page.map { node in (node.revision, node.depth) })
    let nodes = try source.actions(page.map(\.revision)[...], tip).map { row -> JSONValue in
      guard case .object(var object) = row else { return row }
      if case .number(let seq)? = object["seq"] {
        object["depth"] = seq.int.flatMap { depths[$0] }.map(JSONValue.integer)
      }
      return .object(object)
    }
    var object: JSONObject = [
      "revision": .integer(at), "root": .integer(tree.first?.revision ?? at), "total": .integer(tree.count),
      "offset": .integer(offset), "indexed": .integer(index.reached),
      "isCut": .bool(isCut || chain.count >= InspectorLimits.causes),
    ]
    // No condition can contain a longer one.
    if let correlation = try RecordMeta(of: source.reader.record(at: at)).correlation,
      InspectorText.name(correlation) == correlation
    {
      object["correlation"] = .string(correlation)
    }
    object["notice"] = chain.invalidCause.map(JSONValue.string)
    object["nodes"] = .array(nodes)
    return object
  }

  /// The view of a tab, or with `branch` that of an edited history.
  func view(_ query: inout InspectorQuery) throws -> InspectorView {
    let name = try query.viewName()
    return try query.optionalText("branch").map(branch) ?? views.view(named: name)
  }

  /// The edited history that a job of the kind `what-if` made.
  func branch(_ name: String) throws -> InspectorView {
    guard let branch = try jobs.job(name).branch, branch.rollbacks == source.tip().rollbacks else {
      throw RequestFailure(
        .notFound, "noBranch", "job \(name.prefix(100)) has no branch of the present log",
        advice: "Ask 'what-if' again.")
    }
    return branch.view
  }
}

enum InspectorText {
  static func line(_ value: JSONValue) -> (text: String, isCut: Bool) {
    let text = StateText.line(value, limit: InspectorLimits.textCharacters)
    return (text, text.count > InspectorLimits.textCharacters)
  }

  /// The name of a type, an actor or a member, truncated: one of several mebibytes would make every answer too large.
  static func name(_ text: String) -> String {
    guard text.utf8.count > InspectorLimits.textCharacters else { return text }
    // Scalars, because a character can have any number of them.
    let scalars = text.unicodeScalars.prefix(InspectorLimits.textCharacters + 1)
    guard scalars.count > InspectorLimits.textCharacters else { return text }
    return String(scalars.dropLast()) + "…"
  }

  /// What an action says, and the part of it that tells of a failure.
  static func summary(of record: LogRecord) -> JSONObject {
    let summary = ActionSummary(record.dataBytes, limitBytes: InspectorLimits.summaryBytes)
    let end = summary.failureStart ?? summary.bytes.count
    return [
      "said": .string(String(decoding: summary.bytes[..<end], as: UTF8.self)),
      "failed": .string(String(decoding: summary.bytes[end...], as: UTF8.self)),
    ]
  }

  static func json(_ change: StateChange) -> JSONValue {
    let path = JSONPointer(change.pointer.tokens.map(name))
    var object: JSONObject = ["change": .string(change.kind.rawValue), "path": .string(path.description)]
    var isCut = false
    for (name, value) in [("old", change.old), ("new", change.new)] {
      guard let value else { continue }
      let line = line(value)
      object[name] = .string(line.text)
      isCut = isCut || line.isCut
    }
    if isCut { object["cut"] = true }
    return .object(object)
  }
}
