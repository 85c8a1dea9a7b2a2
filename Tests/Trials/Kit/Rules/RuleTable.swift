import ActionLog
import Platform
import TestSupport

/// What each recovery rule would do to the same ends of the same logs: how often it refuses what a crash explains, and
/// how often it silently cuts off what was acknowledged.
package struct RuleTable: Sendable {
  /// What happened to a log.
  package enum Case: String, Sendable, CaseIterable {
    case crash = "power cut: refused"
    case staleBlocks = "power cut, stale blocks: refused"
    case flippedBit = "+ a flipped bit in durable data: silent loss"
    case zeroedSector = "+ a zeroed sector in durable data: silent loss"
    case cutOff = "+ durable data cut off: silent loss"

    /// Whether refusing is wrong here, and not cutting.
    var countsRefusals: Bool { self == .crash || self == .staleBlocks }
  }

  /// How many logs' ends a case looked at, and of how many each rule gave the wrong answer.
  package struct Cell: Sendable {
    package var states = 0
    package var wrong: [RecoveryRule: Int] = [:]

    /// The share of wrong answers of a rule, 0…1.
    package func share(_ rule: RecoveryRule) -> Double {
      states == 0 ? 0 : Double(wrong[rule] ?? 0) / Double(states)
    }
  }

  /// What was found.
  package private(set) var cells: [Case: Cell] = [:]

  /// Nothing was looked at yet.
  package init() {}

  /// Runs a program of some thirty batches in one segment, and looks at an end of every kind before each of its calls.
  package mutating func add(seed: UInt64) {
    let table = Locked(self)
    let disk = MemoryFileSystem()
    var program = SimulatedProgram(seed: seed)
    let knowledge = program.knowledge
    let numbers = Locked(UInt64(0))
    let door = FaultyFileSystem(disk) { call in
      guard call.operation == .append || call.operation == .sync, call.path.hasSuffix(".jsonl") else { return }
      let synced = knowledge.withLock { knowledge in knowledge.syncedSeq }
      var moment = SeededGenerator(seed: seed &* 1_000_003 &+ numbers.withLock { number in number })
      Self.writeBackHead(of: disk, &moment)
      for kind in Case.allCases {
        let number = numbers.withLock { number in
          number += 1
          return number
        }
        var generator = SeededGenerator(seed: seed &* 1_000_003 &+ number)
        guard let evidence = Self.end(of: disk, kind, call.path, &generator) else { continue }
        table.withLock { table in table.note(kind, evidence, synced) }
      }
    }
    program.run(SimulatedLog(door, segmentLimitBytes: 1 << 24), steps: 40)
    self = table.withLock { table in table }
  }

  /// Adds what another table found.
  package mutating func add(_ other: RuleTable) {
    for (kind, cell) in other.cells {
      cells[kind, default: Cell()].states += cell.states
      for (rule, count) in cell.wrong { cells[kind, default: Cell()].wrong[rule, default: 0] += count }
    }
  }

  private mutating func note(_ kind: Case, _ evidence: TailEvidence, _ synced: Int) {
    cells[kind, default: Cell()].states += 1
    for rule in RecoveryRule.allCases {
      let refuses = rule.refuses(evidence)
      let isWrong = kind.countsRefusals ? refuses : !refuses && evidence.lastSeq < synced
      if isWrong { cells[kind, default: Cell()].wrong[rule, default: 0] += 1 }
    }
  }

  /// Nobody synchronises `HEAD`, but the system writes it back now and then: it is some batches old when the power fails.
  private static func writeBackHead(of disk: MemoryFileSystem, _ generator: inout SeededGenerator) {
    guard Int.random(in: 0..<3, using: &generator) == 0 else { return }
    do {
      let path = SimulatedLog.path + "/HEAD"
      if try disk.status(of: path) != nil { try disk.setContents(try disk.contents(of: path), of: path) }
    } catch {
      preconditionFailure("the disk in memory fails only when it is told to: \(error)")
    }
  }

  /// Cuts the power, does what the case says, and gathers the evidence.
  private static func end(
    of disk: MemoryFileSystem, _ kind: Case, _ path: String, _ generator: inout SeededGenerator
  ) -> TailEvidence? {
    do {
      let durableCount = try disk.durableContents(of: path).count
      let model = CrashModel(
        seed: generator.next(), lostData: kind == .staleBlocks ? .staleBlocks : .zeros)
      let left = disk.crash(model)
      if !kind.countsRefusals {
        guard durableCount > 1_024, try left.status(of: path) != nil else { return nil }
        var bytes = try left.contents(of: path)
        guard bytes.count >= durableCount else { return nil }
        switch kind {
        case .flippedBit: bytes[Int.random(in: 0..<durableCount, using: &generator)] ^= 1
        case .zeroedSector:
          let sector = Int.random(in: 0..<durableCount / 512, using: &generator) * 512
          for index in sector..<sector + 512 { bytes[index] = 0 }
        case .cutOff: bytes.removeLast(bytes.count - Int.random(in: 512..<durableCount, using: &generator))
        case .crash, .staleBlocks: break
        }
        try left.setContents(bytes, of: path)
      }
      return try TailEvidence.gathered(of: SimulatedLog.path, left)
    } catch {
      return nil
    }
  }

  /// The table in Markdown.
  package var markdown: String {
    let kinds = Case.allCases
    var lines = ["| rule at the first bad line *k* | " + kinds.map(\.rawValue).joined(separator: " | ") + " |"]
    lines.append("|---|" + String(repeating: "---|", count: kinds.count))
    for rule in RecoveryRule.allCases {
      let shares = kinds.map { kind in Self.percent(cells[kind]?.share(rule) ?? 0) }
      lines.append("| \(rule.rawValue) \(rule.summary) | " + shares.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  /// For instance `4.37 %`.
  private static func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let fraction = String(hundredths % 100)
    return "\(hundredths / 100).\(String(repeating: "0", count: 2 - fraction.count))\(fraction) %"
  }
}
