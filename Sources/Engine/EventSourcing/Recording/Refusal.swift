import ActionLog
public import JSONCoding

/// An error of a reducer that names the value of the state that caused the refusal.
///
/// ```swift
/// struct AccountClosed: PlacedError {
///   let id: String
///   var place: JSONPointer { JSONPointer(["accounts", id]) }
/// }
/// ```
///
/// A `@rejected` record keeps the location, so that a reader of the log can inspect the history of that value. The record follows
/// the revision whose state refused the action.
public protocol PlacedError: Error {
  /// A JSON Pointer (RFC 6901) into the encoded state. For a missing value, the pointer is the location where it would be.
  var place: JSONPointer { get }
}

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

  private func record(of form: ActionForm, error: any Error) -> RejectedRecord {
    let failure = RejectedRecord.Failure(
      type: String(describing: Swift.type(of: error)), code: code(of: error), message: String(describing: error),
      place: (error as? any PlacedError)?.place.description)
    return RejectedRecord(actionType: form.type, actionData: form.data, error: failure, suppressedCount: suppressed)
  }

  /// The error's member `code`, if it has one: the errors of the guide are structs with a code.
  private func code(of error: any Error) -> String {
    Mirror(reflecting: error).children.first { child in child.label == "code" }
      .map { child in String(describing: child.value) } ?? ""
  }
}
