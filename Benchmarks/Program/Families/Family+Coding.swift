import ActionLog
import AnimalsData
import BenchmarkKit
import Foundation
import JSONCoding

/// A line written with Foundation only: the same members, with the action nested in it.
struct FoundationLine: Codable {
  var seq: Int
  var time: String
  var synced: Int
  var prev: String
  var action: AnimalsAction
  var crc: String

  /// The line of an action, with members as long as those of a log.
  init(_ action: AnimalsAction, seq: Int) {
    self.seq = seq
    self.time = "2026-01-01T00:00:00.000001Z"
    self.synced = seq - 1
    self.prev = "1c2d3e4f"
    self.action = action
    self.crc = "5d6e7f80"
  }
}

extension DataSet {
  /// The lines of the first so many actions as Foundation writes them.
  func foundationLines(_ count: Int) throws -> [Data] {
    let encoder = JSONEncoder()
    return try accepted(count).enumerated().map { index, action in
      try encoder.encode(FoundationLine(action, seq: index + 1))
    }
  }
}

extension Family {
  /// Lines to actions. Ours split, check crc, envelope and chain; Foundation gets lines that are split already.
  @MainActor static func decoding(_ data: DataSet, _ peers: Peers) -> Family {
    let count = data.sizes.lineActions
    func ours<Action: Codable & Sendable>(
      _ name: String, _ coder: ActionCoder<Action>, _ weight: @escaping (Action) -> UInt64
    ) -> Contender {
      Contender(Name.decode(name), unit: "line", count: count, agreement: "decode", takesMemory: true) {
        let reader = try LogReader.open(at: try data.log(count))
        return { RoundResult(hash: try decodeLines(of: reader, coder, weight)) }
      }
    }
    func peer(_ name: String, _ program: String) -> Contender {
      peers.contender(Name.decode(name), unit: "line", count: count, peer: program, task: "decode") {
        [try data.log(count), "\(count)"]
      }
    }
    return Family(
      "decode",
      [
        Contender(Name.decode("JSONDecoder"), unit: "line", count: count, agreement: "decode", takesMemory: true) {
          let lines = try data.foundationLines(count)
          return {
            let decoder = JSONDecoder()
            var hash: UInt64 = 0
            for line in lines { hash &+= try decoder.decode(FoundationLine.self, from: line).action.weight }
            return RoundResult(hash: hash)
          }
        },
        ours("Codable", ActionCoder<CodableAction>()) { action in action.action.weight },
        ours("direct", ActionCoder<AnimalsAction>()) { action in action.weight }.ifDirect,
        peer("Node", "node"), peer("orjson", "orjson"), peer("Python json", "python"),
      ])
  }

  /// Actions to lines. Ours with checksum and chain, Foundation without.
  @MainActor static func encoding(_ data: DataSet, _ peers: Peers) -> Family {
    let count = data.sizes.lineActions
    func peer(_ name: String, _ program: String) -> Contender {
      peers.contender(Name.encode(name), unit: "line", count: count, peer: program, task: "encode") {
        [try data.log(count), "\(count)"]
      }
    }
    return Family(
      "encode",
      [
        Contender(Name.encode("JSONEncoder"), unit: "line", count: count, takesMemory: true) {
          let actions = try data.accepted(count)
          return {
            let encoder = JSONEncoder()
            var bytes = Data()
            var written = 0
            for (index, action) in actions.enumerated() {
              bytes += try encoder.encode(FoundationLine(action, seq: index + 1))
              bytes.append(UInt8(ascii: "\n"))
              guard bytes.count >= flushLimitBytes else { continue }
              written += bytes.count
              bytes.removeAll(keepingCapacity: true)
            }
            // The order of members differs from process to process, their number does not.
            return RoundResult(hash: UInt64(written + bytes.count))
          }
        },
        Contender(Name.encode("Codable"), unit: "line", count: count, agreement: "encode", takesMemory: true) {
          let actions = try data.accepted(count).map(CodableAction.init)
          return { RoundResult(hash: try encodeLines(actions)) }
        },
        Contender(Name.encode("direct"), unit: "line", count: count, agreement: "encode", takesMemory: true) {
          let actions = try data.accepted(count)
          return { RoundResult(hash: try encodeLines(actions)) }
        }.ifDirect,
        peer("Node", "node"), peer("orjson", "orjson"), peer("Python json", "python"),
        stability(data),
      ])
  }

  /// Encodes in a process of its own and compares with the bytes of this one.
  @MainActor private static func stability(_ data: DataSet) -> Contender {
    let count = data.sizes.lineActions
    return Contender(Name.encode("stability"), unit: "process", count: 1) {
      let own = try encodeLines(try data.accepted(count).map(CodableAction.init))
      let other = try ChildRounds(data).round(Name.encode("Codable"), cores: nil)
      return { RoundResult(hash: own, metrics: ["differingProcesses": other.hash == own ? 0 : 1]) }
    }
  }
}

extension Contender {
  /// The contender, once there is generated code for the actions of the sample.
  var ifDirect: Contender {
    guard !ActionCoder<AnimalsAction>().isDirect else { return self }
    var contender = self
    contender.place = .here
    contender.prepare = { throw Missing("there is no generated code for the actions yet") }
    return contender
  }
}

/// Calls a closure with each element in place. A loop over an array copies the elements, which takes a sixth of the time of writing an
/// action and is not part of it.
func withEach<Element>(
  of elements: [Element], _ body: (_ index: Int, _ element: borrowing Element) throws -> Void
) rethrows {
  try elements.withUnsafeBufferPointer { elements in
    guard let first = elements.baseAddress else { return }
    for index in elements.indices { try withBorrowed(first + index) { element in try body(index, element) } }
  }
}

/// Calls a closure with a value in place, as if it were not copyable, so that the compiler does not copy it.
func withBorrowed<Value: ~Copyable>(
  _ place: UnsafePointer<Value>, _ body: (borrowing Value) throws -> Void
) rethrows {
  try body(place.pointee)
}

/// Reads every action of a log.
func decodeLines<Action: Codable & Sendable>(
  of reader: LogReader, _ coder: ActionCoder<Action>, _ weight: (Action) -> UInt64
) throws -> UInt64 {
  var batches = ActionBatchIterator(try reader.batches(), coder)
  var hash: UInt64 = 0
  while let batch = try batches.next() {
    withEach(of: batch.actions) { _, action in hash &+= weight(action) }
    if !batch.isComplete {
      for (index, entry) in batch.records.entries.enumerated() where !entry.isControl && !entry.isActionRead {
        hash &+= try batch.records.withTypeAndData(at: index) { type, data in
          weight(try coder.decode(type: type, data: data))
        }
      }
    }
    batches.recycle(batch.records)
  }
  return hash
}

/// Writes actions as lines with checksum and checksum chain, as a log's writer does, into memory.
private struct ActionLineEncoder<Action: Codable>: ~Copyable {
  private let coder = ActionCoder<Action>()
  private var text = DirectWriter(capacity: 1_024)
  private var lines = LineEncoder()
  /// Memory for one line, as large as the longest line so far.
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  /// Appends one line to `output`.
  ///
  /// - Returns: The checksum of the line.
  mutating func append(
    _ action: borrowing Action, seq: Int, time: LogTime, synced: Int, prev: UInt32, to output: inout [UInt8]
  ) throws -> UInt32 {
    text.truncate(to: 0)
    let typeSize = try coder.append(action, to: &text).typeSize
    let limit = LineEncoder.sizeLimit(type: typeSize, data: text.count - typeSize, meta: 0)
    if buffer.count < limit { buffer = [UInt8](repeating: 0, count: 2 * limit) }
    return text.withUnsafeBytes { text in
      buffer.withUnsafeMutableBytes { buffer in
        // The buffer is not empty, so it has an address, and it holds `limit` bytes.
        let start = buffer.baseAddress.unsafelyUnwrapped
        let line = lines.write(
          revision: seq, time: time, type: UnsafeRawBufferPointer(rebasing: text[..<typeSize]), synced: synced,
          prev: prev,
          data: UnsafeRawBufferPointer(rebasing: text[typeSize...]), meta: nil, to: start)
        output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: line.size))
        return line.crc
      }
    }
  }
}

/// Writes every action as a line of a log.
func encodeLines<Action: Codable>(_ actions: [Action]) throws -> UInt64 {
  var encoder = ActionLineEncoder<Action>()
  var bytes: [UInt8] = []
  bytes.reserveCapacity(2 * flushLimitBytes)
  var written = 0
  var crc: UInt32 = 0
  try withEach(of: actions) { index, action in
    let time = AppendRound.time(at: index)
    crc = try encoder.append(action, seq: index + 1, time: time, synced: index, prev: crc, to: &bytes)
    // A writer flushes periodically; memory that only grows would be measured instead of encoding.
    guard bytes.count >= flushLimitBytes else { return }
    written += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }
  // The last checksum chains everything before it.
  return UInt64(written + bytes.count) << 32 | UInt64(crc)
}

/// The size of the buffer for lines: 1 MiB.
private let flushLimitBytes = 1 << 20
