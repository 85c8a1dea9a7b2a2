import ActionLog
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

final class InspectorViews: Sendable {
  private struct Contents: Sendable {
    /// A place with the states that all requests kept. A new view begins with a copy.
    var place: HistoryPlace
    /// The most recently used last.
    var views: [(name: String, view: InspectorView)] = []
    var rollbacks = 0
  }

  private let source: InspectorSource
  private let contents: Locked<Contents>

  init(of source: InspectorSource) throws {
    self.source = source
    contents = Locked(Contents(place: try Self.beginning(of: source)))
  }

  private static func beginning(of source: InspectorSource) throws -> HistoryPlace {
    try HistoryPlace(source.history.walk(at: source.reader.firstRevision))
  }

  /// The view with a name, which is made by its first use.
  func view(named name: String) throws -> InspectorView {
    try withCurrentContents { contents in
      let index = contents.views.firstIndex { view in view.name == name }
      let view =
        index.map { index in contents.views.remove(at: index) } ?? (name: name, view: InspectorView(contents.place))
      contents.views.append(view)
      if contents.views.count > InspectorLimits.views { contents.views.removeFirst() }
      return view.view
    }
  }

  /// A place that knows a revision, if the log has it. A job can start from it, and ``adopt(_:since:)`` its states.
  func start(knowing revision: Int) throws -> (place: HistoryPlace, rollbacks: Int) {
    var (place, rollbacks) = try withCurrentContents { contents in (contents.place, contents.rollbacks) }
    if revision > place.revisions.upperBound { try place.refresh() }
    return (place, rollbacks)
  }

  private func withCurrentContents<Answer: Sendable>(_ body: (inout Contents) throws -> Answer) throws -> Answer {
    let rollbacks = source.tip().rollbacks
    return try contents.withLock { contents in
      if contents.rollbacks != rollbacks {
        // The kept states may be those of actions that were rolled back or redacted.
        contents = Contents(place: try Self.beginning(of: source), rollbacks: rollbacks)
      }
      return try body(&contents)
    }
  }

  /// Keeps the states that a job has folded, for the next ones and for new views.
  ///
  /// - Parameter rollbacks: Their number at the start of the job. After others, its states may be those of actions that were rolled
  ///   back or redacted.
  func adopt(_ place: HistoryPlace, since rollbacks: Int) {
    contents.withLock { contents in
      guard contents.rollbacks == rollbacks else { return }
      // Near the last job, where the next tab probably begins.
      var place = place
      place.adoptStates(of: contents.place)
      contents.place = place
    }
  }
}

/// The position of one tab, in the recorded history or in a branch.
///
/// All methods block, and calls of one view wait for each other.
final class InspectorView: Sendable {
  private let contents: Locked<HistoryPlace>

  let isBranch: Bool

  init(_ place: HistoryPlace, isBranch: Bool = false) {
    self.isBranch = isBranch
    contents = Locked(place)
  }

  var place: HistoryPlace { contents.withLock { place in place } }

  func adopt(_ place: HistoryPlace) { contents.withLock { known in known = place } }

  /// Moves to a revision and reads the place there. Nothing is folded that is not near: the answer is then `nil`.
  private func read<Answer: Sendable>(
    at target: Int, comparedWith base: Int?, _ body: (HistoryPlace) throws -> Answer
  ) throws -> Answer? {
    guard !isBranch || base == nil else {
      throw InspectorQuery.wrong("'base' and 'branch' cannot be combined: a branch is compared with the recording")
    }
    return try contents.withLock { place in
      if max(target, base ?? 0) > place.revisions.upperBound { try place.refresh() }
      try Self.check([target, base ?? target], in: place.revisions)
      guard place.isNear(target, comparedWith: base) else { return nil }
      try place.move(to: target, comparedWith: base)
      return try body(place)
    }
  }

  func state(_ query: inout InspectorQuery) throws -> JSONObject {
    let (at, base) = try Self.revisions(&query)
    let path = try query.optionalPath("path") ?? .root
    let (offset, count) = (try query.integer("offset", or: 0), try query.count())
    let onlyChanged = try Self.onlyChanged(&query)
    return try read(at: at, comparedWith: base) { place in
      guard let page = place.rows(of: path, from: offset, count, onlyChanged: onlyChanged) else {
        throw RequestFailure.nothing(at: path, at)
      }
      return page.json
    } ?? Self.distant(at)
  }

  /// Returns what a page shows of a position in one answer: the changes, and the open containers, each after the one that holds it.
  ///
  /// Without `at`, it is the end of the log.
  func shown(_ body: inout InspectorQuery, orEnd end: Int) throws -> JSONObject {
    let (at, base) = (try body.optionalInteger("at") ?? end, try body.optionalInteger("base"))
    let onlyChanged = try Self.onlyChanged(&body)
    let start = try body.optionalPath("path") ?? .root
    var opened = try Set(body.paths("open"))
    var selected = try body.optionalPath("pointer")
    let reveals = try body.bool("reveals")
    try body.finish()
    return try read(at: at, comparedWith: base) { place -> JSONObject in
      let changes = place.edit?.changes(limit: Self.shownChanges) ?? []
      if reveals {
        selected = selected ?? (changes.first { change in change.kind != .removed } ?? changes.first)?.pointer
        for path in changes.prefix(Self.revealedChanges).map(\.pointer) + [selected].compactMap(\.self) {
          for length in path.tokens.indices { opened.insert(JSONPointer(Array(path.tokens[..<length]))) }
        }
      }
      return [
        "revision": .integer(at), "changes": .object(place.json(of: changes)),
        "pages": .array(try place.pages(from: start, opened, selected, onlyChanged: onlyChanged)),
      ]
    } ?? Self.distant(at)
  }

  private static let shownChanges = 200
  /// The changes whose containers a move opens.
  private static let revealedChanges = 12

  func value(_ query: inout InspectorQuery) throws -> JSONValue {
    let (at, base) = try Self.revisions(&query)
    let path = try query.optionalPath("path") ?? .root
    let tree = try read(at: at, comparedWith: base, \.tree)
    guard let tree else {
      throw RequestFailure(
        .conflict, "notNear", "revision \(at) has to be folded first", advice: "Start a job of the kind 'go'.")
    }
    guard let value = tree[path] else { throw RequestFailure.nothing(at: path, at) }
    let sizeBytes = value.bytes().count
    guard sizeBytes <= InspectorLimits.valueBytes else { throw RequestFailure.tooLarge("the value", sizeBytes) }
    return value
  }

  /// The answer for a revision that a job of the kind `go` has to fold first. It is no refusal: a browser logs refusals as errors,
  /// and a page cannot know which revisions are near.
  private static func distant(_ revision: Int) -> JSONObject { ["isNear": false, "revision": .integer(revision)] }

  static func check(_ revisions: [Int], in known: ClosedRange<Int>) throws(RequestFailure) {
    for revision in revisions where !known.contains(revision) {
      throw RequestFailure(
        .notFound, "revisionOutOfRange", "there is no revision \(revision)",
        advice: "The log has the revisions \(known.lowerBound) to \(known.upperBound).")
    }
  }

  /// The base is `nil` for the one before.
  private static func revisions(_ query: inout InspectorQuery) throws -> (at: Int, base: Int?) {
    (try query.integer("at"), try query.optionalInteger("base"))
  }

  private static func onlyChanged(_ query: inout InspectorQuery) throws -> Bool {
    let only = try query.optionalText("only")
    guard only == nil || only == "changed" else { throw InspectorQuery.wrong("'only' is 'changed'") }
    return only != nil
  }
}
