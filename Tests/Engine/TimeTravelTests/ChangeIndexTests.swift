import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// An index of changes changes the work of a question and nothing else.
@Suite struct ChangeIndexTests {
  /// Makes an index for every question, in blocks of eight actions.
  private static func options(foldLimit: Int = 1) -> ReplayOptions {
    var options = ReplayOptions()
    (options.indexBlockLength, options.minimumActionsToIndex) = (8, 1)
    (options.foldLimit, options.shortestRange) = (foldLimit, 1)
    return options
  }

  /// The answers to the questions about a value, and the number of states that they visited.
  private static func answers<M: Model>(
    _ history: History<M>, _ pointer: JSONPointer, options: ReplayOptions = options()
  ) throws -> (answers: [String], visited: Int) {
    var answers: [String] = []
    var visited = 0
    let last = try history.lastRevision()
    for range in [0...last, last / 3...last - 5] {
      let changes = try history.changes(of: [pointer], in: range, options: options) { change in
        answers.append("\(change.record.revision) \(String(describing: change.old)) \(String(describing: change.new))")
        return true
      }
      answers.append("\(changes.missingPointers)")
      visited += changes.statesVisited
      let actions = try history.actions(
        where: Condition(parsing: "not /list/0 == 1"), touching: [pointer], in: range, options: options
      ) { record in
        answers.append("\(record.revision)")
        return true
      }
      answers.append("\(try actions.allHints())")
      visited += actions.statesVisited
    }
    for revision in [last, last - 9, last / 2, 3] {
      let blame = try history.blame(pointer, at: revision, options: options)
      answers.append(
        "\(revision): \(String(describing: blame.value)) \(String(describing: blame.change.map(\.record.revision)))")
      answers.append("\(String(describing: blame.change?.old)) \(String(describing: blame.change?.new))")
      visited += blame.work.statesVisited
    }
    for text in ["\(pointer) exists", "not (\(pointer) exists)", "count(\(pointer)) > 1", "\(pointer) == 2"]
    where pointer.tokens.allSatisfy({ token in !token.contains(" ") }) && !pointer.tokens.isEmpty {
      let condition = try Condition(parsing: text)
      for revision in [nil, 0, last / 2] {
        let found = try history.firstRevision(where: condition, after: revision, options: options)
        answers.append("\(text) after \(String(describing: revision)): \(String(describing: found.revision))")
        visited += found.work.statesVisited
        guard let revision else { continue }
        let bisected = try history.bisect(condition, in: revision...last, options: options)
        answers.append("\(String(describing: bisected.revision)) \(bisected.probes) \(bisected.isMonotonic)")
        answers.append("\(try bisected.work.allHints())")
      }
    }
    return (answers, visited)
  }

  /// Locations of values that some state has, and some that none has.
  private static func pointers(_ log: CabinetLog, _ random: inout SeededGenerator) throws -> [JSONPointer] {
    var pointers: Set<JSONPointer> = [.root, JSONPointer(["nothing"]), JSONPointer(["drawer", "rows", "row 99"])]
    for revision in stride(from: 0, to: log.states.count, by: 40) {
      let paths = try StateTree(encoding: log.states[revision]).root.paths()
      for _ in 0..<5 { if let path = paths.randomElement(using: &random) { pointers.insert(path) } }
    }
    return pointers.sorted { one, other in one.description < other.description }
  }

  @Test(arguments: Seeds.batches) func answersAreThoseWithoutAnIndex(batch: UInt64) throws {
    var (visited, visitedWithIndex) = (0, 0)
    for seed in Seeds.batch(batch, of: 8) {
      var random = SeededGenerator(seed: seed)
      let log = try CabinetLog(seed: seed, actions: 203, snapshots: seed % 2 == 0 ? [] : [9, 50, 121, 160, 203])
      for pointer in try Self.pointers(log, &random) {
        let expected = try Self.answers(log.history(), pointer)
        let found = try Self.answers(
          log.history(isIndexed: true), pointer, options: Self.options(foldLimit: Int(seed % 3) + 1))
        #expect(found.answers == expected.answers, "seed \(seed), \(pointer)")
        visited += expected.visited
        visitedWithIndex += found.visited
      }
      #expect(try log.indexes().count == 1)
    }
    #expect(visitedWithIndex < visited * 3 / 4)
  }

  @Test func rangesSideBySideMakeTheSameIndex() throws {
    for seed: UInt64 in 1...6 {
      let log = try CabinetLog(seed: seed, actions: 203, snapshots: [9, 50, 72, 121, 160])
      let bounds = try log.history().rangeBounds(
        from: 0, to: 203, options: Self.options(foldLimit: 4), rangesPerThread: 1)
      #expect(bounds.count > 2)
      var files: [[UInt8]] = []
      for foldLimit in 1...4 {
        for path in try log.indexes() { try log.disk.remove(path) }
        _ = try log.history(isIndexed: true).changes(
          of: [.root], in: 0...203, options: Self.options(foldLimit: foldLimit)
        ) {
          _ in true
        }
        files.append(try log.disk.contents(of: #require(log.indexes().first)))
      }
      #expect(Set(files).count == 1, "seed \(seed)")
    }
  }

  /// An index is of all actions, so a question about a few of them makes none: at least an eighth.
  @Test func aQuestionAboutTheLastActionsDoesNotWaitForAll() throws {
    let log = try CabinetLog(seed: 5, actions: 200, snapshots: [])
    for (first, isIndexed) in [(180, false), (177, false), (176, true)] {
      _ = try log.history(isIndexed: true).changes(of: [.root], in: first...200, options: Self.options()) { _ in true }
      #expect(try log.indexes().isEmpty == !isIndexed, "from \(first)")
    }
  }

  @Test func aSnapshotOfOtherCodeIsNotPartOfAnIndex() throws {
    let log = try CabinetLog(seed: 3, actions: 203, snapshots: [50, 121])
    let expected = try Self.answers(log.history(), .root)
    _ = try Self.answers(log.history(isIndexed: true), .root)
    let good = try log.disk.contents(of: #require(log.indexes().first))
    let snapshots = SnapshotStore(at: "cabinet", fileSystem: log.disk)
    var other = try snapshots.read(at: 121)
    other.reducer = "0123456789abcdef"
    other.state = Array(
      String(decoding: other.state, as: UTF8.self).replacing(#""title":"a title"#, with: #""title":"no title"#).utf8)
    #expect(try other != snapshots.read(at: 121))
    try snapshots.publish(other)
    for name in try log.disk.names(in: "cache") { try log.disk.remove("cache/" + name) }
    let found = try Self.answers(log.history(isIndexed: true), .root, options: Self.options(foldLimit: 3))
    #expect(found.answers == expected.answers)
    #expect(try log.disk.contents(of: #require(log.indexes().first)) == good)
  }

  /// A value that changes in one block is found by folding that block.
  @Test func otherBlocksAreSkipped() throws {
    let log = try CabinetLog(seed: 1, actions: 400, snapshots: [80, 160, 240, 320, 400])
    func changes(of row: Int) -> [Int] {
      (1...400).filter { revision in
        log.states[revision].drawer.rows["row \(row)"] != log.states[revision - 1].drawer.rows["row \(row)"]
      }
    }
    let row = try #require((8...25).first { row in !changes(of: row).isEmpty })
    let (pointer, changes) = (JSONPointer(["drawer", "rows", "row \(row)"]), changes(of: row))
    let blocks = Set(changes.map { revision in (revision - 1) / 8 })
    var found: [Int] = []
    var work = QuestionWork()
    for round in 1...2 {
      found = []
      work = try log.history(isIndexed: true).changes(of: [pointer], in: 0...400, options: Self.options()) { change in
        found.append(change.record.revision)
        return true
      }
      #expect(work.actionsIndexed == (round == 1 ? 400 : 0))
    }
    #expect(found == changes)
    // The first state, and the first action.
    #expect(work.statesVisited <= 8 * blocks.count + 2)
    #expect(work.actionsFolded <= 80 * (blocks.count + 1))
    let blame = try log.history(isIndexed: true).blame(pointer, options: Self.options())
    #expect(blame.change?.record.revision == changes.last)
    // The blocks from the snapshot on.
    #expect(blame.work.statesVisited <= 8 * blocks.count + 1 && blame.work.snapshotsLoaded <= 1)
    #expect(blame.work.actionsFolded <= 80)
  }

  /// A bisection scans the blocks that may decide: here only the first action after the last snapshot.
  @Test func aBisectionSkipsBlocks() throws {
    let log = try CabinetLog(seed: 1, actions: 400, snapshots: [320])
    _ = try log.history(isIndexed: true).changes(of: [.root], in: 0...400, options: Self.options()) { _ in true }
    var work: [QuestionWork] = []
    for isIndexed in [false, true] {
      let answer = try log.history(isIndexed: isIndexed).bisect(
        Condition(parsing: "/drawer/rows/nothing exists"), in: 300...400, options: Self.options())
      #expect(answer.revision == nil && answer.wasScanned)
      work.append(answer.work)
    }
    #expect(work[1].statesVisited < work[0].statesVisited / 2, "\(work)")
    #expect(work[1].actionsFolded < work[0].actionsFolded, "\(work)")
  }

  /// A state with a row that each action writes, and a value in it that none changes.
  private enum Busy: Model {
    struct State: Codable, Equatable, Sendable {
      var rows: TreeDictionary<String, Cabinet.Row> = ["a": Cabinet.Row(count: 0, tags: ["x"])]
    }
    static let name = Cabinet.name
    static let schema = Cabinet.schema
    static let initialState = State()
    static let sourceFingerprint: String? = ""

    static func reduce(into state: inout State, action: Cabinet.Action) { state.rows["a"]?.count += 1 }
  }

  /// Every block has the marks of the row. Each snapshot is usable, refused, or missing.
  @Test(arguments: [[60, 120, 180], []], [false, true]) func noActionIsFoldedTwice(
    snapshots: [Int], isRefused: Bool
  ) throws {
    let log = try CabinetLog(seed: 4, actions: 203)
    let history = try log.history(of: Busy.self, isIndexed: true)
    for revision in snapshots { _ = try history.takeSnapshot(at: revision) }
    _ = try history.changes(of: [.root], in: 0...203, options: Self.options()) { _ in true }
    #expect(try log.indexes().count == 1)
    for revision in snapshots where isRefused {
      let path = SnapshotStore(at: "cabinet", fileSystem: log.disk).path(at: revision)
      try log.disk.flipBit(0, ofByte: 40, in: path)
    }
    for (tokens, count) in [(["rows", "a", "tags"], 0), (["rows", "b"], 0), (["rows", "a", "count"], 203)] {
      let pointer = JSONPointer(tokens)
      let history = try log.history(of: Busy.self, isIndexed: true)
      let blame = try history.blame(pointer, options: Self.options())
      #expect(blame.change?.record.revision == (count == 0 ? nil : count))
      #expect(blame.work.actionsFolded <= 203 && blame.work.actionsIndexed == 0, "\(tokens): \(blame.work)")
      var found = 0
      let work = try history.changes(of: [pointer], in: 0...203, options: Self.options()) { _ in
        found += 1
        return true
      }
      #expect(found == count && work.actionsFolded <= 203, "\(tokens): \(work)")
    }
  }

  /// The parts of a plan are folded once, even if the snapshots between them are refused.
  @Test func refusedSnapshotsBetweenPartsCostOneFold() throws {
    let log = try CabinetLog(seed: 1, actions: 400, snapshots: [80, 160, 240, 320, 400])
    _ = try log.history(isIndexed: true).changes(of: [.root], in: 0...400, options: Self.options()) { _ in true }
    for revision in [80, 160, 240, 320, 400] {
      try log.disk.flipBit(0, ofByte: 40, in: SnapshotStore(at: "cabinet", fileSystem: log.disk).path(at: revision))
    }
    for row in 0...30 {
      let pointer = JSONPointer(["drawer", "rows", "row \(row)"])
      var found: [[Int]] = []
      for isIndexed in [true, false] {
        var revisions: [Int] = []
        let work = try log.history(isIndexed: isIndexed).changes(of: [pointer], in: 0...400, options: Self.options()) {
          change in
          revisions.append(change.record.revision)
          return true
        }
        #expect(work.actionsFolded <= 400, "row \(row): \(work)")
        found.append(revisions)
      }
      #expect(found[0] == found[1], "row \(row)")
    }
  }

  /// A state whose member is encoded as null, as an empty object, as another value, or as members of its own.
  private enum Turning: Model {
    struct Pair: Codable, Equatable, Sendable {
      var x = 0
      var y = 0
    }

    enum Part: Codable, Equatable, Sendable {
      case nothing, empty
      case pair(Pair)
      case one(Int)

      private enum Keys: String, CodingKey { case x }

      init(from decoder: any Decoder) throws { self = .one(try Pair(from: decoder).x) }

      func encode(to encoder: any Encoder) throws {
        switch self {
        case .nothing:
          var container = encoder.singleValueContainer()
          try container.encodeNil()
        case .empty: _ = encoder.container(keyedBy: Keys.self)
        case .pair(let pair):
          var container = encoder.singleValueContainer()
          try container.encode(pair)
        case .one(let x):
          var container = encoder.container(keyedBy: Keys.self)
          try container.encode(x, forKey: .x)
        }
      }
    }

    struct State: Codable, Equatable, Sendable { var part = Part.nothing }
    static let name = Cabinet.name
    static let schema = Cabinet.schema
    static let initialState = State()
    static let sourceFingerprint: String? = ""

    static func reduce(into state: inout State, action: Cabinet.Action) {
      guard case .change(let part, let id, let value) = action else { return }
      let parts = [Part.nothing, .empty, .pair(Pair(x: value, y: id % 2)), .one(value)]
      state.part = parts[(part + 3 * id + value) % 4]
    }
  }

  @Test func valueThatChangesItsCodingIsMarked() throws {
    for seed: UInt64 in 1...8 {
      let log = try CabinetLog(seed: seed, actions: 203)
      var options = Self.options()
      // Each action is a block, so that no other change has the same marks.
      options.indexBlockLength = 1
      for pointer in [["part"], ["part", "x"], ["part", "y"]].map(JSONPointer.init) {
        let expected = try Self.answers(log.history(of: Turning.self), pointer).answers
        let found = try Self.answers(log.history(of: Turning.self, isIndexed: true), pointer, options: options).answers
        #expect(found == expected, "seed \(seed), \(pointer)")
      }
      #expect(try log.indexes().count == 1)
    }
  }

  /// Damage is reported, and the actions before it are indexed once.
  @Test(arguments: [1, 3]) func actionsBeforeDamageAreIndexedOnce(foldLimit: Int) throws {
    var log = try CabinetLog(seed: 1, actions: 100, snapshots: [40, 80])
    var random = SeededGenerator(seed: 1)
    // Segments of their own, so that the actions after the damage are in the log.
    for _ in 1...3 { try log.append(100, &random) }
    for revision in [120, 200, 300] { _ = try log.history().takeSnapshot(at: revision) }
    let place = try log.history().reader.record(at: 150).place
    try log.disk.flipBit(0, ofByte: place.byteOffset + 40, in: place.path)
    for _ in 1...2 {
      let error = #expect(throws: LogError.self) {
        try log.history(isIndexed: true).changes(of: [.root], in: 0...400, options: Self.options(foldLimit: foldLimit))
        { _ in
          true
        }
      }
      #expect(error?.code == .damaged)
      #expect(try log.indexes().count == 1)
    }
    let work = try log.history(isIndexed: true).changes(of: [.root], in: 0...144, options: Self.options()) { _ in true }
    #expect(work.actionsIndexed == 0)
  }

  /// Counts the actions that it folds.
  private enum Counted: Model {
    static let name = Cabinet.name
    static let schema = Cabinet.schema
    static let initialState = Cabinet.initialState
    static let sourceFingerprint: String? = ""
    static let folded = Locked(0)

    static func reduce(into state: inout Cabinet.State, action: Cabinet.Action) {
      folded.withLock { count in count += 1 }
      Cabinet.reduce(into: &state, action: action)
    }
  }

  @Test func indexThatCannotBeKeptLeavesNoFile() throws {
    let log = try CabinetLog(seed: 2, actions: 203)
    func indexed() throws -> Int {
      Counted.folded.withLock { count in count = 0 }
      return try log.history(of: Counted.self, isIndexed: true)
        .changes(of: [.root], in: 0...203, options: Self.options()) { _ in true }.actionsIndexed
    }
    log.disk.capacityBytes = log.disk.usedBytes + 200
    #expect(try indexed() == 0 && log.indexes().isEmpty)
    log.disk.capacityBytes = nil
    try log.disk.createDirectory("cache/changes")
    #expect(try indexed() == 203)
    let path = try #require(log.indexes().first { path in !path.hasSuffix("/changes") })
    // A directory in its place: nothing is folded for an index that cannot be kept.
    try log.disk.remove(path)
    try log.disk.createDirectory(path)
    #expect(try indexed() == 0)
    #expect(Counted.folded.withLock { count in count } == 203)
    #expect(try log.disk.names(in: "cache").allSatisfy { name in !name.contains(".new") && !name.contains(".probe") })
  }

  @Test func everyFlippedBitIsHarmless() throws {
    let log = try CabinetLog(seed: 5, actions: 20)
    let pointer = JSONPointer(["drawer", "rows"])
    let expected = try Self.answers(log.history(), pointer).answers
    _ = try Self.answers(log.history(isIndexed: true), pointer)
    let path = try #require(log.indexes().first)
    let good = try log.disk.contents(of: path)
    for bit in 0..<8 * good.count {
      try log.disk.setContents(good, of: path)
      try log.disk.flipBit(bit % 8, ofByte: bit / 8, in: path)
      _ = try log.history(isIndexed: true).changes(of: [pointer], in: 0...20, options: Self.options()) { _ in false }
      // The damaged file was not used: the question has made it again.
      #expect(try log.disk.contents(of: path) == good, "bit \(bit)")
    }
    for length in stride(from: 0, to: good.count, by: 7) {
      try log.disk.setContents(Array(good.prefix(length)), of: path)
      #expect(try Self.answers(log.history(isIndexed: true), pointer).answers == expected, "\(length) bytes")
    }
  }

  @Test func laterActionsAreAdded() throws {
    var log = try CabinetLog(seed: 7, actions: 60)
    var random = SeededGenerator(seed: 8)
    let pointer = JSONPointer(["plain"])
    for count in [1, 3, 4, 8, 30, 0, 7] {
      if count > 0 { try log.append(count, &random) }
      let found = try Self.answers(log.history(isIndexed: true), pointer).answers
      #expect(try found == Self.answers(log.history(), pointer).answers)
    }
    let path = try #require(log.indexes().first)
    let grown = try log.disk.contents(of: path)
    try log.disk.remove(path)
    _ = try Self.answers(log.history(isIndexed: true), pointer)
    #expect(try log.disk.contents(of: path) == grown)
  }

  /// A question about few new actions reads them instead of adding them to the index.
  @Test func fewNewActionsAreVisited() throws {
    var log = try CabinetLog(seed: 7, actions: 60)
    var random = SeededGenerator(seed: 8)
    _ = try Self.answers(log.history(isIndexed: true), .root)
    let path = try #require(log.indexes().first)
    let old = try log.disk.contents(of: path)
    try log.append(20, &random)
    var options = Self.options()
    options.minimumActionsToIndex = 21
    for token in ["drawer", "plain", "list", "nothing"] {
      let found = try Self.answers(log.history(isIndexed: true), JSONPointer([token]), options: options).answers
      #expect(try found == Self.answers(log.history(), JSONPointer([token])).answers)
    }
    #expect(try log.disk.contents(of: path) == old)
  }

  /// The same model after a change that keeps its identity.
  private enum LateCabinet: Model {
    static let name = Cabinet.name
    static let schema = Cabinet.schema
    static let initialState = Cabinet.initialState
    static let sourceFingerprint: String? = "late"

    static func reduce(into state: inout Cabinet.State, action: Cabinet.Action) {
      Cabinet.reduce(into: &state, action: action)
      if case .change(_, let id, _) = action, id > 10 { state.plain["late"] = id }
    }
  }

  @Test func anIndexIsThatOfTheCodeAndTheLog() throws {
    let log = try CabinetLog(seed: 9, actions: 203)
    let pointer = JSONPointer(["plain"])
    _ = try Self.answers(log.history(isIndexed: true), pointer)
    let first = try log.indexes()
    // Other code has a file of its own, and the older one of the log is removed.
    let late = try Self.answers(log.history(of: LateCabinet.self, isIndexed: true), pointer).answers
    #expect(try log.indexes().count == 1 && log.indexes() != first)
    #expect(try late == Self.answers(log.history(of: LateCabinet.self), pointer).answers)
    #expect(try late != Self.answers(log.history(), pointer).answers)
  }

  /// A log with the same identifier and other actions.
  @Test func anIndexOfReplacedActionsIsNotUsed() throws {
    let log = try CabinetLog(seed: 9, actions: 203)
    _ = try Self.answers(log.history(isIndexed: true), .root)
    let path = try #require(log.indexes().first)
    let other = try CabinetLog(seed: 10, actions: 203)
    try other.disk.createDirectory("cache")
    try other.disk.setContents(try log.disk.contents(of: path), of: path)
    for token in ["plain", "drawer", "nested"] {
      let found = try Self.answers(other.history(isIndexed: true), JSONPointer([token])).answers
      #expect(try found == Self.answers(other.history(), JSONPointer([token])).answers)
    }
    #expect(try other.indexes() == [path])
    #expect(try other.disk.contents(of: path) != log.disk.contents(of: path))
  }

  @Test func unknownCodeAndNoSnapshotsMakeNoIndex() throws {
    let log = try CabinetLog(seed: 2, actions: 203)
    enum Unknown: Model {
      static let name = Cabinet.name
      static let schema = Cabinet.schema
      static let initialState = Cabinet.initialState
      static func reduce(into state: inout Cabinet.State, action: Cabinet.Action) {
        Cabinet.reduce(into: &state, action: action)
      }
    }
    var options = Self.options()
    _ = try Self.answers(log.history(of: Unknown.self, isIndexed: true), .root)
    options.usesSnapshots = false
    _ = try Self.answers(log.history(isIndexed: true), .root, options: options)
    #expect(try log.indexes().isEmpty)
  }

  @Test func aFolderThatCannotBeWrittenIsIgnored() throws {
    let log = try CabinetLog(seed: 2, actions: 203)
    try log.disk.setContents([], of: "cache")
    let found = try Self.answers(log.history(isIndexed: true), .root).answers
    #expect(try found == Self.answers(log.history(), .root).answers)
  }

  @Test func aLargeFolderIsCleared() throws {
    let log = try CabinetLog(seed: 2, actions: 203)
    try log.disk.createDirectory("cache")
    for name in ["changes-0123456789abcdef-0", "changes-0123456789abcdef-1"] {
      try log.disk.setContents([UInt8](repeating: 0, count: 1 << 27), of: "cache/" + name)
    }
    _ = try Self.answers(log.history(isIndexed: true), .root)
    #expect(try log.indexes().count == 3)
    try log.disk.setContents([0], of: "cache/changes-0123456789abcdef-2")
    for path in try log.indexes() where !path.contains("0123456789abcdef") { try log.disk.remove(path) }
    _ = try Self.answers(log.history(isIndexed: true), .root)
    #expect(try log.indexes().count == 1)
  }

  /// A state in which each action copies a large array, because the tracker keeps the one before.
  private enum Pile: Model {
    static let name = Cabinet.name
    static let schema = Cabinet.schema
    static let initialState = [Int](repeating: 0, count: 10_000)
    static let sourceFingerprint: String? = ""
    static let folded = Locked(0)

    static func reduce(into state: inout [Int], action: Cabinet.Action) {
      folded.withLock { count in count += 1 }
      guard case .change(_, let id, let value) = action else { return }
      state[id] = value
    }
  }

  @Test func statesThatShareNothingHaveNoIndex() throws {
    let log = try CabinetLog(seed: 2, actions: 203)
    let expected = try Self.answers(log.history(of: Pile.self), JSONPointer(["3"])).answers
    #expect(try Self.answers(log.history(of: Pile.self, isIndexed: true), JSONPointer(["3"])).answers == expected)
    #expect(try log.indexes().isEmpty)
    // It is noticed after a few states.
    func folds(isIndexed: Bool) throws -> Int {
      Pile.folded.withLock { count in count = 0 }
      _ = try log.history(of: Pile.self, isIndexed: isIndexed).changes(
        of: [.root], in: 0...203, options: Self.options()
      ) { _ in
        true
      }
      return Pile.folded.withLock { count in count }
    }
    #expect(try folds(isIndexed: true) < folds(isIndexed: false) + 20)
  }

  /// The first check cancels. Without an error from making the index, the question would check again and fold to its end.
  @Test func makingAnIndexCanBeCanceled() throws {
    let log = try CabinetLog(seed: 2, actions: 2_100)
    let checks = Locked(0)
    var options = Self.options()
    options.isCancelled = {
      checks.withLock { checks in
        checks += 1
        return checks == 1
      }
    }
    #expect(throws: CancellationError.self) { try log.history(isIndexed: true).blame(.root, options: options) }
    #expect(checks.withLock { checks in checks } == 1)
    #expect(try log.indexes().isEmpty)
  }
}
