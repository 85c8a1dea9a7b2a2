import ActionLog
import JSONCoding

/// Lines that came together, what became of each, and the answers in their order.
struct AnswerBatch {
  private enum Entry {
    case waiting
    case outcome(LineOutcome)
  }

  private let firstLine: Int
  private var entries: [Entry] = []
  /// The actions among the lines, in order.
  private(set) var actions: [ActionLine] = []

  init(firstLine: Int) {
    self.firstLine = firstLine
  }

  /// Takes a line: one that is no action is refused at once.
  mutating func append(_ line: LineReader.Line) {
    do throws(LineRefusal) {
      guard case .bytes(let bytes) = line else {
        throw LineRefusal(.beyondLimit, "the line is longer than \(HumanText.bytes(LineReader.lineLimitBytes))")
      }
      actions.append(try ActionLine(number: firstLine + entries.count, parsing: bytes))
      entries.append(.waiting)
    } catch {
      entries.append(.outcome(.refused(error)))
    }
  }

  /// Takes what became of ``actions``, in their order; of all of them, unless recording came to an end.
  mutating func settle(_ outcomes: [LineOutcome]) {
    precondition(outcomes.count <= actions.count, "an action has one outcome")
    var rest = outcomes[...]
    for index in entries.indices {
      if case .waiting = entries[index], let outcome = rest.popFirst() { entries[index] = .outcome(outcome) }
    }
  }

  var acceptedCount: Int {
    entries.count { entry in
      if case .outcome(.accepted) = entry { true } else { false }
    }
  }

  var refusedCount: Int { entries.count - acceptedCount }

  /// The answers, one line of JSON each.
  ///
  /// - Parameters:
  ///   - durability: The level that was reached.
  ///   - revision: The last revision that reached it.
  ///   - failure: Why later ones did not.
  func answers(durability: Durability, through revision: Int = .max, failure: ToolFailure? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, entry) in entries.enumerated() {
      let outcome: LineOutcome? = if case .outcome(let outcome) = entry { outcome } else { nil }
      answer(outcome, line: firstLine + index, durability, through: revision, failure).append(to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  private func answer(
    _ outcome: LineOutcome?, line: Int, _ durability: Durability, through revision: Int, _ failure: ToolFailure?
  ) -> JSONValue {
    switch outcome {
    case .accepted(let seq) where seq <= revision:
      return ["line": .integer(line), "seq": .integer(seq), "durability": .string(durability.levelName)]
    case .accepted:
      // After a failed sync nobody knows; after any other failure the log was cut back.
      let isUnknown = failure.map { failure in failure.code == LogError.Code.failed.rawValue } ?? true
      return ["line": .integer(line), isUnknown ? "unknown" : "failed": Self.reason(failure)]
    case nil:
      // Recording ended before it came to this line.
      return ["line": .integer(line), "failed": Self.reason(failure)]
    case .refused(let refusal):
      var object: JSONObject = ["code": .string(refusal.code.rawValue), "message": .string(refusal.message)]
      object["byteOffset"] = refusal.byteOffset.map(JSONValue.integer)
      return ["line": .integer(line), "refused": .object(object)]
    }
  }

  private static func reason(_ failure: ToolFailure?) -> JSONValue {
    [
      "code": .string(failure?.code ?? LogError.Code.failed.rawValue),
      "message": .string(failure?.message ?? "not recorded"),
    ]
  }
}

extension Durability {
  /// The name of the level, without its interval.
  var levelName: String {
    switch self {
    case .memory: "memory"
    case .flush: "flush"
    case .interval: "interval"
    case .commit: "commit"
    case .full: "full"
    }
  }
}
