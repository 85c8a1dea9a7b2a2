import ActionLog
import JSONCoding
import Platform

/// The answer of a command that another part of the program runs: its values, never their text.
struct CollectedAnswer: Sendable {
  var status: Int32 = 0
  /// The lines of the answer, or the one object.
  var items: [JSONValue] = []
  var error: JSONValue?
  var warnings: [String] = []

  /// The items that are objects: all of them in an answer to a client.
  var lines: [JSONObject] {
    items.compactMap { item in if case .object(let object) = item { object } else { nil } }
  }
}

extension ActionLogTool {
  /// Runs a command with parsed arguments, and collects its answer. A larger one than the limit has the error `beyondLimit`. The streams
  /// of the environment are not used.
  func answer(
    _ command: Command, _ arguments: ParsedArguments, environment: ToolEnvironment, limitBytes: Int,
    progress: @escaping @Sendable (_ done: Int, _ total: Int?, _ message: String) -> Void = { _, _, _ in }
  ) async throws -> CollectedAnswer {
    let output = AnswerCollector(limitBytes: limitBytes)
    let messages = MessageCollector(limitBytes: limitBytes, progress)
    var answer = CollectedAnswer()
    answer.status = await run(
      command, arguments, environment: environment.running(into: output, messages: messages))
    guard let items = output.items, let (error, warnings) = messages.contents else {
      throw ToolFailure(
        "beyondLimit", .limit, "the answer is larger than \(HumanText.bytes(limitBytes))",
        advice: "Ask for a part of it, for example with \(.option("path")).")
    }
    (answer.items, answer.error, answer.warnings) = (items, error, warnings)
    return answer
  }
}

private struct LimitedValues<Value: Sendable>: Sendable {
  private(set) var values: [Value]? = []
  private var remainingBytes: Int

  init(limitBytes: Int) { remainingBytes = limitBytes }

  /// - Throws: `closed` beyond the limit. The command then ends quietly, as if the reader had left.
  mutating func append(_ value: Value, _ sizeBytes: Int) throws(ToolStreamError) {
    remainingBytes -= sizeBytes
    if remainingBytes < 0 { values = nil }
    guard values != nil else { throw .closed }
    values?.append(value)
  }
}

private final class AnswerCollector: ValueOutput {
  private let collected: Locked<LimitedValues<JSONValue>>

  init(limitBytes: Int) { collected = Locked(LimitedValues(limitBytes: limitBytes)) }

  /// `nil` for an answer that exceeds the limit.
  var items: [JSONValue]? { collected.withLock { collected in collected.values } }

  func take(_ value: JSONValue) throws(ToolStreamError) {
    try collected.withLock { collected throws(ToolStreamError) in try collected.append(value, value.bytes().count) }
  }
}

/// Collects the error and the warnings of a command, and passes its progress on.
private final class MessageCollector: ValueOutput {
  private let collected: Locked<(error: JSONValue?, warnings: LimitedValues<String>)>
  private let progress: @Sendable (Int, Int?, String) -> Void

  init(limitBytes: Int, _ progress: @escaping @Sendable (Int, Int?, String) -> Void) {
    collected = Locked((nil, LimitedValues(limitBytes: limitBytes)))
    self.progress = progress
  }

  /// `nil` for messages that exceed the limit.
  var contents: (error: JSONValue?, warnings: [String])? {
    collected.withLock { collected in
      collected.warnings.values.map { warnings in (collected.error, warnings) }
    }
  }

  func take(_ value: JSONValue) throws(ToolStreamError) {
    guard case .object(let message) = value else { return }
    if case .object(let job)? = message["progress"], case .number(let done)? = job["done"], let done = done.int {
      var total: Int?
      if case .number(let number)? = job["total"] { total = number.int }
      if case .string(let label)? = job["job"], case .string(let unit)? = job["unit"] {
        progress(done, total, "\(label): \(unit)")
      }
    }
    try collected.withLock { collected throws(ToolStreamError) in
      if let error = message["error"] { collected.error = error }
      if case .string(let warning)? = message["warning"] {
        try collected.warnings.append(warning, warning.utf8.count)
      }
    }
  }
}
