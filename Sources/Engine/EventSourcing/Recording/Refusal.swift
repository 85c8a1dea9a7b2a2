import ActionLog
import JSONCoding

/// A `@rejected` record.
struct Refusal: Sendable {
  var draft: LogDraft
  /// The number of refused actions that the record stands for: its own, and those before it that were only counted.
  var count: Int
}

/// Makes `@rejected` records of refused actions, as many as the policy allows.
struct RefusalLimiter: Sendable {
  private let policy: RefusalPolicy
  private var windowStart: LogTime?
  private var recorded = 0
  private var suppressed = 0

  init(policy: RefusalPolicy) {
    self.policy = policy
  }

  /// Returns the record of a refused action; `nil` if the limit of this window is reached.
  ///
  /// - Parameter now: The time of the log's clock, so that a recording can be repeated exactly.
  mutating func refusal(of form: ActionForm, error: any Error, meta: [UInt8]?, now: LogTime) -> Refusal? {
    if !isWithinWindow(now) {
      windowStart = now
      recorded = 0
    }
    guard recorded < policy.limit else {
      suppressed += 1
      return nil
    }
    recorded += 1
    defer { suppressed = 0 }
    return Refusal(
      draft: LogDraft(record(of: form, error: error), meta: meta, time: now),
      count: suppressed + 1)
  }

  /// Counts the refusals of a record that is not in the log.
  mutating func lose(_ refusal: Refusal) {
    suppressed += refusal.count
  }

  /// Whether a time is within the present window. If the clock goes back, a new window begins.
  private func isWithinWindow(_ now: LogTime) -> Bool {
    guard let windowStart, now >= windowStart else { return false }
    return .microseconds(now.microseconds - windowStart.microseconds) < policy.window
  }

  /// The code and the place are those of a described error. The place is a JSON Pointer into the encoded state, so that a reader of
  /// the log can inspect the history of the value that caused the refusal.
  private func record(of form: ActionForm, error: any Error) -> RejectedRecord {
    let described = error as? any DescribedError
    let failure = RejectedRecord.Failure(
      type: String(describing: Swift.type(of: error)), code: described?.codeName ?? "",
      message: String(describing: error), place: described?.location.pointer?.description)
    return RejectedRecord(actionType: form.type, actionData: form.data, error: failure, suppressedCount: suppressed)
  }
}
