import ActionLog
import EventSourcing
import JSONCoding
import Platform
import Testing
import TimeTravel

/// Every question about every kind of value takes a bounded number of folds and of encoded bytes.
///
/// The state has 500 rows and some 45 kB of JSON. A question that encoded it for each action would encode 450 MB.
@Suite(.serialized) struct QuestionBoundTests {
  private static let count = DepotLog.count
  /// The distance of two snapshots.
  private static let gap = 1_000
  private static let plain = Result { try DepotLog.history(snapshots: []) }
  private static let snapshots = Array(stride(from: gap, through: count, by: gap))
  private static let quick = Result { try DepotLog.history(snapshots: snapshots) }

  /// More than a few complete states take.
  private static let fewBytes = 1 << 18
  /// The bytes of one row and of the collections that share nothing, for each action that writes a value.
  private static let bytesPerWrite = 8 << 10

  private static let order = "/orders/\(Depot.order(3))"
  /// Each kind of value, and the action that changed it last.
  private static let kinds: [(pointer: String, last: Int?)] = [
    ("", count), ("/rows", count), ("/rows/row 7", 9_507), ("/rows/row 7/count", 9_507), ("/rows/none", nil),
    ("/orders", count), (order, 9_950), (order + "/count", 9_950), ("/orders/1/count", nil),
    ("/recent", 9_996), ("/recent/1", 9_982), ("/recent/9", nil), ("/phase", nil), ("/isHalfway", count / 2),
    ("/nothing/at/all", nil),
  ]

  @Test(arguments: kinds) func blameIsBounded(pointer: String, last: Int?) throws {
    let pointer = try JSONPointer(parsing: pointer)
    let whole = try Self.plain.get().blame(pointer)
    #expect(whole.work.actionsFolded <= Self.count && whole.work.statesVisited <= Self.count + 1)
    let near = try Self.quick.get().blame(pointer)
    #expect(near.work.actionsFolded <= Self.count)
    if let last, last > Self.count - Self.gap { #expect(near.work.actionsFolded == Self.gap) }
    for answer in [whole, near] {
      if pointer.tokens.first == "orders", pointer.tokens.dropFirst().first == "1" {
        // An index depends on all keys, so the dictionary is encoded after every write.
        #expect(answer.work.bytesEncoded <= Self.count / 10 * Self.bytesPerWrite)
      } else {
        #expect(answer.change?.record.revision == last)
        #expect(answer.work.bytesEncoded <= Self.fewBytes, "\(answer.work.bytesEncoded)")
      }
    }
  }

  @Test @MainActor func blameOfACursorIsBounded() async throws {
    let cursor = try Self.plain.get().cursor()
    for (text, last) in Self.kinds where !text.hasPrefix("/orders/1") {
      let answer = try await cursor.blame(try JSONPointer(parsing: text))
      #expect(answer.change?.record.revision == last, "\(text)")
      #expect(answer.work.actionsFolded <= Self.count + 4_096, "\(text)")
      #expect(answer.work.bytesEncoded <= 2 * Self.fewBytes, "\(text): \(answer.work.bytesEncoded)")
    }
  }

  @Test(arguments: kinds) func historyIsBounded(pointer: String, last: Int?) throws {
    let pointer = try JSONPointer(parsing: pointer)
    var count = 0
    let work = try Self.quick.get().changes(of: [pointer], in: (Self.count - Self.gap + 1)...Self.count) { change in
      count += 1
      if let last { #expect(change.record.revision <= last) }
      return true
    }
    #expect(work.actionsFolded == Self.gap && work.statesVisited == Self.gap + 1)
    #expect(work.bytesEncoded <= Self.gap * Self.bytesPerWrite, "\(work.bytesEncoded)")
    if last == nil, !pointer.description.hasPrefix("/orders") { #expect(count == 0) }
  }

  @Test(arguments: kinds) func watchAndFiltersAreBounded(pointer: String, last: Int?) throws {
    let pointers = [try JSONPointer(parsing: pointer), try JSONPointer(parsing: "/isHalfway")]
    let filtered = try Self.quick.get().actions(
      where: nil, touching: pointers, in: (Self.count - Self.gap + 1)...Self.count
    ) { _ in true }
    let watched = try Self.quick.get().changes(of: pointers, in: (Self.count - Self.gap + 1)...Self.count) { _ in true }
    for work in [filtered, watched] {
      #expect(work.actionsFolded == Self.gap)
      #expect(work.bytesEncoded <= Self.gap * Self.bytesPerWrite, "\(work.bytesEncoded)")
    }
  }

  /// Conditions about values of each kind. None has to encode the content of the value.
  private static func conditions(_ pointer: String) throws -> [Condition] {
    let place = pointer.isEmpty ? "''" : "'\(pointer)'"
    return try [
      "\(place) exists", "\(place) == 4711", "\(place) like \"nothing*\"", "count(\(place)) > 1000000",
      "\(place) contains \"nothing\"",
    ].map { text in try Condition(parsing: text) }
  }

  @Test(arguments: kinds) func searchesAreBounded(pointer: String, last: Int?) throws {
    let history = try Self.quick.get()
    for condition in try Self.conditions(pointer) {
      // Only the JSON shows what an array contains, and what is at an index of a dictionary.
      let bytes = Self.gap * Self.bytesPerWrite
      let forward = try history.firstRevision(where: condition, after: Self.count - Self.gap)
      #expect(forward.work.actionsFolded <= Self.gap && forward.work.bytesEncoded <= bytes, "\(condition)")
      let backward = try history.lastRevision(where: condition, downTo: Self.count - Self.gap + 1)
      #expect(backward.work.actionsFolded <= Self.gap && backward.work.bytesEncoded <= bytes, "\(condition)")
      #expect(forward.work.statesVisited <= Self.gap + 1 && backward.work.statesVisited <= Self.gap + 1)
      if !["/orders", "/recent"].contains(where: pointer.hasPrefix) {
        #expect(forward.work.bytesEncoded + backward.work.bytesEncoded <= Self.fewBytes, "\(condition)")
      }
    }
    let changed = try Condition(parsing: "'\(pointer)' changed")
    let forward = try history.firstRevision(where: changed, after: Self.count - Self.gap)
    let backward = try history.lastRevision(where: changed, downTo: Self.count - Self.gap + 1)
    for answer in [forward, backward] {
      #expect(answer.work.actionsFolded <= Self.gap && answer.work.bytesEncoded <= Self.gap * Self.bytesPerWrite)
    }
  }

  @Test(arguments: ["", "/rows", "/rows/row 7/count", "/rows/none", order, "/recent/1", "/isHalfway", "/nothing"])
  func bisectNeverCostsMoreThanAScan(pointer: String) throws {
    for condition in [try Self.conditions(pointer)[0], try Condition(parsing: "'\(pointer)' == true")] {
      let scan = try Self.plain.get().firstRevision(where: condition)
      let search = try Self.plain.get().bisect(condition)
      #expect(search.revision == scan.revision && search.wasScanned, "\(condition)")
      #expect(search.work.actionsFolded <= scan.work.actionsFolded, "\(condition)")
      #expect(search.work.statesVisited <= scan.work.statesVisited, "\(condition)")
      let halved = try Self.quick.get().bisect(condition)
      #expect(halved.revision == scan.revision, "\(condition)")
      #expect(halved.work.actionsFolded <= Self.count, "\(condition)")
      // Ten snapshots.
      #expect(halved.work.snapshotsLoaded <= 10 && halved.probes.count <= 10)
      if scan.revision.map({ revision in revision > Self.gap }) ?? false {
        #expect(halved.work.actionsFolded <= Self.gap)
      }
    }
  }

  @Test func bisectFoldsOneGapBetweenSnapshots() throws {
    let search = try Self.quick.get().bisect(try Condition(parsing: "/isHalfway"))
    #expect(search.revision == 5_000 && search.record?.revision == 5_000 && !search.wasScanned && search.isMonotonic)
    #expect(search.work.actionsFolded == Self.gap)
    // The newest one, three by bisection, and four controls. The scan begins with one of them.
    #expect(search.work.snapshotsLoaded <= 8, "\(search.work.snapshotsLoaded)")
    #expect(search.work.snapshotsLoaded == search.probes.count)
  }

  /// The number of calls of the reducer until a new history, which has examined no snapshot, has answered.
  private func folds(_ ask: (History<Depot>) throws -> Int?) throws -> (revision: Int?, count: Int) {
    let history = try History<Depot>(at: "depot", fileSystem: try Self.quick.get().fileSystem)
    let before = Depot.folded.withLock { count in count }
    let revision = try ask(history)
    return (revision, Depot.folded.withLock { count in count } - before)
  }

  /// The examination of snapshots included.
  @Test(arguments: [3, 1_700, 2_503, 5_000, 9_999, 10_001]) func bisectFoldsNoMoreThanAScan(revision: Int) throws {
    let condition = try Condition(parsing: "'/rows/row \(revision % Depot.rowCount)/count' >= \(revision)")
    let scan = try folds { history in try history.firstRevision(where: condition).revision }
    let search = try folds { history in try history.bisect(condition).revision }
    #expect(scan.revision == search.revision && scan.count == min(revision, Self.count))
    // The first actions identify the code.
    #expect(search.count <= scan.count + 64, "\(search.count), scanning: \(scan.count)")
    if revision > 5_000, revision < Self.count { #expect(search.count <= 2 * Self.gap + 64, "\(search.count)") }
  }

  /// A snapshot takes as long to load as some hundreds of actions take to fold.
  @Test func bisectOfAShortRangeLoadsNoSnapshot() throws {
    let condition = try Condition(parsing: "'/rows/row 499/count' >= 9999")
    let search = try Self.quick.get().bisect(condition, in: Self.count - 99...Self.count)
    #expect(search.revision == 9_999 && search.wasScanned && search.probes.isEmpty)
    #expect(search.work.snapshotsLoaded == 1 && search.work.actionsFolded == 999, "from the snapshot at 9 000")
  }

  /// The first condition holds at no snapshot, the second at one of them.
  @Test(arguments: [1_003, 1_503]) func intermittentConditionIsFoundFirst(number: Int) throws {
    let history = try Self.quick.get()
    let rare = try history.bisect(try Condition(parsing: "'/rows/row 3/count' == \(number)"))
    #expect(rare.revision == number && rare.wasScanned && !rare.isMonotonic)
    #expect(rare.work.actionsFolded <= Self.count)
  }

  @Test func differencesFoldEachActionOnce() throws {
    let count = Self.count
    let cases = [(count - 1, count, count), (count, count - 1, count), (0, count, count), (5_000, 5_001, 5_001)]
    for (first, second, folds) in cases {
      let before = Depot.folded.withLock { count in count }
      let difference = try Self.plain.get().difference(from: first, to: second, options: ReplayOptions())
      #expect(Depot.folded.withLock { count in count } - before == folds, "\(first) to \(second)")
      // The rows that the two states share are not visited.
      if abs(first - second) == 1 { #expect(difference.nodesCompared < 300, "\(difference.nodesCompared)") }
    }
    let before = Depot.folded.withLock { count in count }
    _ = try Self.quick.get().difference(from: 100, to: count - 1, options: ReplayOptions())
    #expect(Depot.folded.withLock { count in count } - before == 100 + Self.gap - 1, "from the snapshot in between")
  }

  @Test func stepsFoldAndCompareOneAction() async throws {
    try await Self.plain.get().cursor(at: .revision(Self.count - 50)).perform { cursor in
      for _ in 0..<50 {
        let folded = cursor.work.actionsFolded
        try cursor.stepForward()
        #expect(try cursor.difference(from: cursor.revision - 1).nodesCompared < 300)
        #expect(cursor.work.actionsFolded - folded <= 1)
      }
    }
  }

  @Test(arguments: kinds) func valueIsReadWithoutTheRest(pointer: String, last: Int?) throws {
    let pointer = try JSONPointer(parsing: pointer)
    let state = try Self.quick.get().state()
    let tree = try StateTree(encoding: state)
    #expect(try StateProbe<Depot.State>(pointer).value(in: state) == tree[pointer])
    if last != nil { #expect(tree[pointer] != nil) }
  }
}

/// Progress of questions.
extension QuestionBoundTests {
  private func progress(_ question: (ReplayOptions) throws -> Void) throws -> [ReplayProgress] {
    let steps = Locked<[ReplayProgress]>([])
    var options = ReplayOptions()
    options.progress = { step in steps.withLock { steps in steps.append(step) } }
    try question(options)
    return steps.withLock { steps in steps }
  }

  @Test func progressRisesToALimit() throws {
    let (plain, quick) = (try Self.plain.get(), try Self.quick.get())
    let pointer = try JSONPointer(parsing: "/nothing")
    let condition = try Condition(parsing: "/nothing == 1")
    let questions: [(ReplayOptions) throws -> Void] = [
      { options in _ = try plain.state(at: Self.count, options: options) },
      { options in _ = try quick.state(at: Self.count - 1, options: options) },
      { options in _ = try plain.blame(pointer, options: options) },
      { options in _ = try quick.blame(pointer, options: options) },
      { options in _ = try quick.lastRevision(where: condition, options: options) },
      { options in _ = try quick.firstRevision(where: condition, options: options) },
      { options in _ = try quick.bisect(condition, options: options) },
      { options in _ = try plain.bisect(condition, options: options) },
      { options in _ = try plain.difference(from: 4_000, to: Self.count, options: options) },
    ]
    for (number, question) in questions.enumerated() {
      let steps = try progress(question)
      let limits = Set(steps.map(\.actionsLimit))
      #expect(limits.count == 1, "question \(number): \(limits)")
      let limit = try #require(limits.first ?? nil)
      #expect(steps.first?.actionsFolded == 0, "question \(number)")
      #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.actionsFolded <= $1.actionsFolded }, "question \(number)")
      #expect(steps.allSatisfy { step in step.actionsFolded <= limit }, "question \(number)")
      // There is no pause near the end.
      #expect(steps.count { step in step.actionsFolded * 10 > limit * 9 } <= 2, "question \(number)")
    }
  }
}
