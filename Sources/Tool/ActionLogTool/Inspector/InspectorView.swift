import ActionLog
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

final class InspectorViews: Sendable {
  private struct Contents: Sendable {
    /// A walk with the states that all requests kept. A new view begins with a copy.
    var walk: any WalkHandle
    /// The most recently used last.
    var views: [(name: String, view: InspectorView)] = []
    var rollbacks = 0
  }

  private let source: InspectorSource
  private let contents: Locked<Contents>

  init(of source: InspectorSource) throws {
    self.source = source
    contents = Locked(Contents(walk: try source.history.walk(at: source.reader.firstRevision)))
  }

  /// The view with a name, which is made by its first use.
  func view(named name: String) throws -> InspectorView {
    try withCurrentContents { contents in
      let index = contents.views.firstIndex { view in view.name == name }
      let view =
        index.map { index in contents.views.remove(at: index) } ?? (name: name, view: InspectorView(contents.walk))
      contents.views.append(view)
      if contents.views.count > InspectorLimits.views { contents.views.removeFirst() }
      return view.view
    }
  }

  /// A walk that knows a revision, if the log has it. A job can start from it, and ``adopt(_:since:)`` its states.
  func start(knowing revision: Int) throws -> (walk: any WalkHandle, rollbacks: Int) {
    var (walk, rollbacks) = try withCurrentContents { contents in (contents.walk, contents.rollbacks) }
    if revision > walk.revisions.upperBound { try walk.refresh() }
    return (walk, rollbacks)
  }

  private func withCurrentContents<Answer: Sendable>(_ body: (inout Contents) throws -> Answer) throws -> Answer {
    let rollbacks = source.tip().rollbacks
    return try contents.withLock { contents in
      if contents.rollbacks != rollbacks {
        // The kept states may be those of actions that were rolled back or redacted.
        contents = Contents(walk: try source.history.walk(at: source.reader.firstRevision), rollbacks: rollbacks)
      }
      return try body(&contents)
    }
  }

  /// Keeps the states that a job has folded, for the next ones and for new views.
  ///
  /// - Parameter rollbacks: Their number at the start of the job. After others, its states may be those of actions that were rolled
  ///   back or redacted.
  func adopt(_ walk: any WalkHandle, since rollbacks: Int) {
    contents.withLock { contents in
      guard contents.rollbacks == rollbacks else { return }
      // Near the last job, where the next tab probably begins.
      var walk = walk
      walk.adoptStates(of: contents.walk)
      contents.walk = walk
    }
  }
}

/// The position of one tab: the state at a revision, and the base that it is compared with. In a branch, the base is the recorded
/// state at the same revision.
///
/// A state is never encoded completely. Rows are read by a probe, and a step costs what the action changed, and with a distant base
/// also a copy of the list of all changes: the sorted names of a container are kept from one revision to the next. All methods
/// block, and calls of one view wait for each other.
final class InspectorView: Sendable {
  private let place: Locked<Place>

  let isBranch: Bool

  init(_ walk: any StateWalk, isBranch: Bool = false) {
    self.isBranch = isBranch
    place = Locked(Place(walk, isBranch: isBranch))
  }

  var walk: any StateWalk { place.withLock { place in place.walk } }

  func adopt(_ walk: any StateWalk, comparedWith base: Int, _ edit: StateEdit?) {
    place.withLock { place in
      place.walk = walk
      (place.edit, place.base) = (edit, base)
      place.names = SortedMemberNames()
    }
  }

  /// For tests that count work.
  var sortCount: Int { place.withLock { place in place.sortCount } }

  func state(_ query: inout InspectorQuery) throws -> JSONObject {
    let (at, base) = try Self.revisions(&query)
    let path = try query.optionalPath("path") ?? .root
    let (offset, count) = (try query.integer("offset", or: 0), try query.count())
    let onlyChanged = try Self.onlyChanged(&query)
    return try place.withLock { place in
      guard try place.move(to: at, comparedWith: base) else { return Self.distant(at) }
      guard let page = try place.rows(of: path, from: offset, count, onlyChanged: onlyChanged) else {
        throw InspectorFailure(
          .notFound, "notFound", "there is nothing at '\(path)' at revision \(place.walk.revision)")
      }
      return page.json
    }
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
    return try place.withLock { place in
      guard try place.move(to: at, comparedWith: base) else { return Self.distant(at) }
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
    }
  }

  private static let shownChanges = 200
  /// The changes whose containers a move opens.
  private static let revealedChanges = 12

  func value(_ query: inout InspectorQuery) throws -> JSONValue {
    let (at, base) = try Self.revisions(&query)
    let path = try query.optionalPath("path") ?? .root
    let value = try place.withLock { place in
      guard try place.move(to: at, comparedWith: base) else {
        throw InspectorFailure(
          .conflict, "notNear", "revision \(at) has to be folded first", advice: "Start a job of the kind 'go'.")
      }
      return try place.walk.value(at: path)
    }
    guard let value else {
      throw InspectorFailure(.notFound, "notFound", "there is nothing at '\(path)' at revision \(at)")
    }
    let sizeBytes = value.bytes().count
    guard sizeBytes <= InspectorLimits.valueBytes else { throw InspectorFailure.tooLarge("the value", sizeBytes) }
    return value
  }

  /// The answer for a revision that a job of the kind `go` has to fold first. It is no refusal: a browser logs refusals as errors,
  /// and a page cannot know which revisions are near.
  private static func distant(_ revision: Int) -> JSONObject { ["isNear": false, "revision": .integer(revision)] }

  static func check(_ revisions: [Int], in known: ClosedRange<Int>) throws(InspectorFailure) {
    for revision in revisions where !known.contains(revision) {
      throw InspectorFailure(
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
