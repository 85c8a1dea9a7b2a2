import ActionLog
import BenchmarkKit
import Foundation

/// Takes the samples of one operation on one collection, in a process that does nothing else.
struct GuideSampling<Table: GuideCollection> {
  let operation: GuideOperation
  let elements: [GuideElement]
  let repetitions: Int
  private let spare: GuideElement
  private let directory: String

  init(_ operation: GuideOperation, elements count: Int, isCopying: Bool, directory: String) {
    self.operation = operation
    self.directory = directory
    var elements = GuideElement.elements(count + 1)
    spare = elements.removeLast()
    self.elements = elements
    repetitions = operation.repetitions(isCopying: isCopying)
  }

  /// Samples after one that does not count.
  func run(samples: Int) throws -> GuideRun {
    let table = Table(elements)
    let equal =
      Table.isReference ? Table(elements) : table.setting(spare, for: 0).setting(elements[0], for: 0)
    let built = ProcessMemory.peakMebibytes
    let writer =
      operation.keeping == .append
      ? try LogWriter.open(
        at: directory + "/guide-log", model: "guide", schema: 1, configuration: LogConfiguration(durability: .written))
      : nil
    var (cpu, wall, peak): ([Double], [Double], [Double]) = ([], [], [])
    var hash: UInt64 = 0
    for sample in 0...samples {
      let begin = (cpu: SystemClock.ofProcess, wall: SystemClock.now)
      // The result lives until the clock has stopped, and so does the original.
      let (result, used) = try sampled(table, equal, writer)
      let end = (cpu: SystemClock.ofProcess, wall: SystemClock.now)
      hash &+= used &+ UInt64(result.count)
      withExtendedLifetime((table, equal)) { undo(result) }
      guard sample > 0 else { continue }
      cpu.append((end.cpu - begin.cpu) / Double(repetitions))
      wall.append((end.wall - begin.wall) / Double(repetitions))
      peak.append(ProcessMemory.peakMebibytes)
    }
    try writer?.closeNow()
    return GuideRun(
      operation: operation.rawValue, collection: Table.name, cpuNanoseconds: cpu, wallNanoseconds: wall,
      repetitions: repetitions, builtMebibytes: built, peakMebibytes: peak, hash: hash)
  }
}

extension GuideSampling {
  /// The work of one sample.
  private func sampled(_ table: Table, _ equal: Table, _ writer: LogWriter?) throws -> (result: Table, used: UInt64) {
    switch operation {
    case .count:
      var sum: UInt64 = 0
      for _ in 0..<repetitions { sum &+= UInt64(opaque(table).count) }
      return (table, sum)
    case .read:
      var sum: UInt64 = 0
      for _ in 0..<repetitions { sum &+= UInt64(bitPattern: opaque(table).element(opaque(0))?.a ?? 0) }
      return (table, sum)
    case .compare:
      precondition(opaque(table).isEqual(to: equal), "the tables hold equal elements")
      return (table, 1)
    case .sortByDescriptor: return (table, UInt64(bitPattern: table.median(usesDescriptor: true)))
    case .sortByClosure: return (table, UInt64(bitPattern: table.median(usesDescriptor: false)))
    default:
      var result = table
      for repetition in 0..<repetitions {
        result = changed(opaque(table), key(repetition))
      }
      try keep(result, writer)
      return (result, 0)
    }
  }

  /// Values are changed from the original each time; what is changed in place needs a key that was not used.
  private func key(_ repetition: Int) -> Int64 {
    let first = operation.change == .insert ? elements.count : 0
    guard Table.isReference else { return Int64(first) }
    return Int64(operation.change == .insert ? first + repetition : repetition % elements.count)
  }

  private func changed(_ table: Table, _ key: Int64) -> Table {
    table.setting(operation.change == .delete ? nil : spare, for: key)
  }

  /// Puts back what was changed in place.
  private func undo(_ result: Table) {
    guard Table.isReference, let change = operation.change else { return }
    for repetition in 0..<repetitions {
      let key = key(repetition)
      _ = result.setting(change == .insert ? nil : elements[Int(key)], for: key)
    }
  }

  private func keep(_ result: Table, _ writer: LogWriter?) throws {
    switch operation.keeping {
    case .memory: break
    case .append:
      let action: GuideAction =
        operation.change == .delete ? .remove(key: key(0)) : .set(key: key(0), element: spare)
      _ = try writer?.writeNow([LogDraft(try ActionCoding.encode(action))])
      try writer?.syncNow()
    case .save:
      let data = try JSONEncoder().encode(result.elements)
      try data.write(to: URL(fileURLWithPath: directory + "/guide.json"), options: .atomic)
    }
  }
}

/// Returns the same value, hidden from the optimizer.
@inline(never) func opaque<Value>(_ value: Value) -> Value { value }
