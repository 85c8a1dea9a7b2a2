import ActionLog
import Locking
import TestSupport

/// A program that appends, synchronises, rolls, closes and opens at random, and what it was told.
///
/// Action *n* of a history carries the number *n*, so that a log is right when it holds 1…*k* for some *k* that is at
/// least what was acknowledged. Whatever is rejected or unknown is tried again under the same number.
struct Workload {
  /// What the program knows: the numbers that were acknowledged as durable, as written, and those it ever handed over.
  struct Knowledge: Sendable {
    var acknowledged = 0
    var written = 0
    var offered = 0
  }

  let knowledge = Locked(Knowledge())
  private var generator: SeededGenerator
  private let path: String

  init(seed: UInt64, path: String = LogStory.path) {
    generator = SeededGenerator(seed: seed)
    self.path = path
  }

  /// Does a number of random steps; errors end a writer's life as they would a program's.
  ///
  /// - Returns: The last error, if any.
  @discardableResult
  mutating func run(_ story: LogStory, steps: Int) -> LogError? {
    var writer: LogWriter?
    var lastError: LogError?
    for _ in 0..<steps {
      do throws(LogError) {
        let current: LogWriter
        if let writer {
          current = writer
        } else {
          current = try LogWriter.open(
            path, model: "counter", schema: 1, fileSystem: story.door, configuration: story.configuration)
          writer = current
          // What was unknown to the last life is known now.
          knowledge.withLock { knowledge in
            knowledge.acknowledged = max(knowledge.acknowledged, current.opening.lastSeq)
          }
        }
        if try step(current) { writer = nil }
      } catch {
        lastError = error
        if error.code == .failed || error.code == .closed { writer = nil }
      }
    }
    return lastError
  }

  /// - Returns: Whether the writer's life is over.
  private mutating func step(_ writer: LogWriter) throws(LogError) -> Bool {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0:
      try writer.closeNow()
      acknowledge(writer.status.lastSeq)
      return true
    case 1:
      return true
    case 2..<8:
      acknowledge(try writer.synchronize().seq)
    default:
      let seq = try writer.write(drafts(from: writer.status.lastSeq + 1)).seq
      knowledge.withLock { knowledge in knowledge.written = max(knowledge.written, seq) }
    }
    return false
  }

  private func acknowledge(_ seq: Int) {
    knowledge.withLock { knowledge in knowledge.acknowledged = max(knowledge.acknowledged, seq) }
  }

  private mutating func drafts(from first: Int) -> [LogDraft] {
    let count = Int.random(in: 1...4, using: &generator)
    let drafts = (first..<(first + count)).map { number in
      let sizes = [0, 0, 10, 10, 300, 1_500, 6_000]
      let text = String(repeating: "x", count: sizes[Int.random(in: 0..<sizes.count, using: &generator)])
      return LogDraft(type: "add", data: Array(#"{"_0":\#(number),"text":"\#(text)"}"#.utf8))
    }
    knowledge.withLock { knowledge in knowledge.offered = max(knowledge.offered, first + count - 1) }
    return drafts
  }
}

extension LogStory {
  /// What is wrong with the log as a program finds it that starts after a crash; `nil` when nothing is.
  ///
  /// - Parameter knowledge: What was acknowledged and offered before the crash.
  func flaw(_ knowledge: Workload.Knowledge) -> CrashFlaw? {
    do {
      let writer = try open()
      guard writer.opening.lastSeq >= knowledge.acknowledged else { return .lost(writer.opening.lastSeq) }
      guard writer.opening.lastSeq <= knowledge.offered else { return .invented(writer.opening.lastSeq) }
      try writer.commit([.numbered(writer.opening.lastSeq + 1)])
      let last = writer.status.lastSeq
      try writer.closeNow()
      let read = try read().actions
      guard read == Array(1...last) else { return .wrongActions(read) }
      let report = try LogVerifier.verify(LogStory.path, fileSystem: files)
      guard report.verdict == .clean else { return .unverified("\(report.problems)") }
      return nil
    } catch let error as LogError {
      return .refused(error)
    } catch {
      return .unverified("\(error)")
    }
  }
}

/// How a log can be wrong after a crash.
enum CrashFlaw: CustomStringConvertible {
  case lost(Int)
  case invented(Int)
  case wrongActions([Int])
  case unverified(String)
  case refused(LogError)

  /// Whether the engine only refused, which loses nothing.
  var isRefusal: Bool {
    if case .refused(let error) = self { return error.code == .damaged }
    return false
  }

  var description: String {
    switch self {
    case .lost(let seq): "acknowledged actions are lost: the log ends at \(seq)"
    case .invented(let seq): "the log holds what was never offered: it ends at \(seq)"
    case .wrongActions(let actions): "the log holds other actions: \(actions)"
    case .unverified(let text): "the log does not verify: \(text)"
    case .refused(let error): "the log was refused: \(error)"
    }
  }
}
