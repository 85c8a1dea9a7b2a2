import ActionLog
import ActionLogTesting
import AnimalsData
import DirectZoo
import JSONCoding
import TestSupport
import Testing

/// Decoding actions while their lines are checked finds the same records, end and errors as checking alone, and the
/// same actions as `Codable`.
@Suite struct ActionBatchTests {
  @Test(arguments: DirectSuite.seeds)
  func batchMatchesCheckedDecodingForAnyLine(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let animals = Array(AnimalsWorkload(seed: seed).prefix(40))
    for _ in 0..<60 { try check(animals, &generator) }
    let zoo = (0..<40).map { _ in DirectZoo.ZooAction(using: &generator) }
    for _ in 0..<60 { try check(zoo, &generator) }
  }

  @Test func readsAllLinesOfTheWriter() throws {
    let actions = Array(AnimalsWorkload(seed: 1).prefix(2_000))
    let reader = try reader(of: try forms(actions).map { form in (form.type, form.data, nil) })
    for chunkBytes in [512, 1 << 18] {
      var batches = ActionBatchIterator(
        try reader.batches(chunkBytes: chunkBytes), ActionCoder<AnimalsAction>(), wanted: 11..<1_901)
      var read: [AnimalsAction] = []
      var count = 0
      while let batch = try batches.next() {
        #expect(batch.isComplete || batch.actions.isEmpty)
        read += batch.actions
        count += batch.records.entries.count { entry in entry.isActionRead }
        batches.recycle(batch.records)
      }
      // If a chunk ends within a line, and at the end of the log, lines are decoded one by one.
      if chunkBytes > 512 { #expect(read == Array(actions[10..<1_900])) }
      #expect(count == read.count)
    }
  }

  @Test func skipsActionsOfLaterSchemas() throws {
    let reader = try reader(of: [("ui.categoryList.onAppear", Array("{}".utf8), nil)])
    for (schema, count) in [(0, 0), (1, 1)] {
      var batches = ActionBatchIterator(try reader.batches(), ActionCoder<AnimalsAction>(), schemas: 0...schema)
      let batch = try #require(try batches.next())
      #expect(batch.actions.count == count)
      #expect(batch.isComplete == (count == 1))
      #expect(batch.records.entries.count == 2)
    }
  }

  @Test func failedBatchFreesItsActions() throws {
    // Actions with strings on the heap, more than the expected size of a batch, and a damaged line, which has valid
    // lines after it.
    let animals = Array(AnimalsWorkload(seed: 2).prefix(1_000))
    var lines: [(String, [UInt8], [UInt8]?)] = try forms(animals).map { form in (form.type, form.data, nil) }
    lines.append(("x", Array("{".utf8), nil))
    lines += lines.prefix(10)
    let reader = try reader(of: lines)
    var batches = ActionBatchIterator(try reader.batches(chunkBytes: 1 << 20), ActionCoder<AnimalsAction>())
    var count = 0
    let error = #expect(throws: LogError.self) {
      while let batch = try batches.next() { count += batch.actions.count }
    }
    #expect(count == 1_000)
    #expect(error?.line == 1_002)
  }
}

extension ActionBatchTests {
  /// The result of reading a log.
  private struct Outcome<Action: Equatable>: Equatable {
    var lines: [String] = []
    var actions: [Action?] = []
    var error = ""
  }

  /// Compares the results for a log in which one line was changed, as if a program had written it this way.
  private func check<Action: Codable & Equatable & Sendable>(
    _ actions: [Action], _ generator: inout SeededGenerator
  ) throws {
    let meta = Bool.random(using: &generator) ? Array(#"{"actor":"u7"}"#.utf8) : nil
    var lines: [(String, [UInt8], [UInt8]?)] = try forms(actions).map { form in (form.type, form.data, meta) }
    let place = Int.random(in: lines.indices, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: lines[place].0 = String(decoding: generator.mutated(Array(lines[place].0.utf8)), as: UTF8.self)
    case 1: lines[place].2 = generator.mutated(Array(#"{"actor":"u7"}"#.utf8))
    case 2: lines[place].1 += Array(#","other":[1,{"data":"}"}]"#.utf8)
    default: lines[place].1 = generator.mutated(lines[place].1)
    }
    let reader = try reader(of: lines)
    let chunkBytes = [512, 4_096, 1 << 18].randomElement(using: &generator)!
    let expected = try checked(reader, chunkBytes, Action.self)
    let found = try read(reader, chunkBytes, Action.self)
    #expect(found == expected, "\(lines[place].0) \(String(decoding: lines[place].1, as: UTF8.self))")
  }

  private func forms<Action: Codable>(_ actions: [Action]) throws -> [ActionForm] {
    let coder = ActionCoder<Action>()
    return try actions.map(coder.encode)
  }

  private func reader(of lines: [(String, [UInt8], [UInt8]?)]) throws -> LogReader {
    var encoder = LineEncoder()
    var bytes: [UInt8] = []
    let time = LogTime(microseconds: 1_795_251_600_000_000)
    let header =
      #"{"format":"actionlog/1","log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"animals","schema":1,"first":1,"epoch":1,"#
      + #""created":"2026-11-21T09:00:00.000000Z"}"#
    var crc = encoder.append(
      revision: 0, time: time, type: "@segment", synced: 0, prev: 0, data: Array(header.utf8), to: &bytes)
    for (index, line) in lines.enumerated() {
      crc = encoder.append(
        revision: index + 1, time: time, type: line.0, synced: 0, prev: crc, data: line.1, meta: line.2, to: &bytes)
    }
    let files = MemoryFileSystem()
    try files.setContents(bytes, of: "/log/0000000000000001.jsonl")
    return try LogReader.open(at: "/log", fileSystem: files)
  }

  private func checked<Action: Codable & Equatable>(
    _ reader: LogReader, _ chunkBytes: Int, _ type: Action.Type
  ) throws -> Outcome<Action> {
    var outcome = Outcome<Action>()
    var batches = try reader.batches(chunkBytes: chunkBytes)
    do {
      while let batch = try batches.nextBatch() {
        for (index, entry) in batch.entries.enumerated() {
          outcome.lines.append("\(batch.record(at: index))")
          guard !entry.isControl else { continue }
          outcome.actions.append(decode(batch, at: index, .codable))
        }
      }
    } catch {
      outcome.error = "\(error)"
    }
    return outcome
  }

  private func read<Action: Codable & Equatable & Sendable>(
    _ reader: LogReader, _ chunkBytes: Int, _ type: Action.Type
  ) throws -> Outcome<Action> {
    var outcome = Outcome<Action>()
    let coder = ActionCoder<Action>()
    #expect(coder.isDirect)
    var batches = ActionBatchIterator(try reader.batches(chunkBytes: chunkBytes), coder)
    do {
      while let batch = try batches.next() {
        var actions = batch.actions.makeIterator()
        var isComplete = true
        for (index, entry) in batch.records.entries.enumerated() {
          outcome.lines.append("\(batch.records.record(at: index))")
          guard !entry.isControl else { continue }
          if !entry.isActionRead { isComplete = false }
          outcome.actions.append(entry.isActionRead ? actions.next() : decode(batch.records, at: index, coder))
        }
        #expect(actions.next() == nil)
        #expect(batch.isComplete == isComplete)
        batches.recycle(batch.records)
      }
    } catch {
      outcome.error = "\(error)"
    }
    return outcome
  }

  private func decode<Action: Codable>(
    _ batch: RecordBatch, at index: Int, _ coder: ActionCoder<Action>
  ) -> Action? {
    do {
      return try batch.withTypeAndData(at: index) { type, data in try coder.decode(type: type, data: data) }
    } catch {
      return nil
    }
  }
}
