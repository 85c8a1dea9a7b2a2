import ActionLog
import EventSourcing
import Locking
import TimeTravel

// Questions are answered on another thread, one at a time; the screen goes on.
extension HistoryScreen {
  /// Asks something. A question that is still open is dropped.
  ///
  /// - Parameters:
  ///   - text: What is asked, for the person who waits.
  ///   - question: Finds the answer. It may block, and ends when the options say that nobody wants it any more.
  ///   - take: Takes the answer, unless it is unwanted by then.
  func ask<Answer: Sendable>(
    _ text: String, _ question: @escaping @Sendable (ReplayOptions) throws -> Answer,
    take: @escaping @MainActor (Result<Answer, any Error>) -> Void
  ) {
    leaveErrand()
    let errand = Errand(number: nextNumber(), text: text)
    self.errand = errand
    let (news, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let listening = Task {
      for await reached in news where self.errand?.number == errand.number && showsProgress {
        self.errand?.reached = reached
      }
    }
    asking = Task {
      let answer = await OffPool.run { () -> Result<Answer, any Error> in
        defer { continuation.finish() }
        var options = ReplayOptions()
        options.isCancelled = { errand.isUnwanted.withLock { flag in flag } }
        options.progress = { step in continuation.yield(step.revision) }
        return Result { try question(options) }
      }
      await listening.value
      guard self.errand?.number == errand.number else { return }
      self.errand = nil
      take(answer)
    }
  }

  /// Drops the question that is open.
  ///
  /// - Returns: Whether there was one.
  @discardableResult func leaveErrand() -> Bool {
    guard let errand else { return false }
    errand.isUnwanted.withLock { flag in flag = true }
    self.errand = nil
    if blamed?.answer == nil { blamed = nil }
    return true
  }

  /// Waits until nothing is under way any more.
  func settled() async {
    // An answer can be the beginning of a way.
    await asking?.value
    await travelling?.value
    await filtering?.value
  }
}
