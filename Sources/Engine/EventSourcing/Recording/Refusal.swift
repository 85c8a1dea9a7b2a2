import ActionLog
public import JSONCoding

/// An error of a reducer that names the value of the state because of which it refused the action.
///
/// ```swift
/// struct AccountClosed: PlacedError {
///   let id: String
///   var place: JSONPointer { JSONPointer(["accounts", id]) }
/// }
/// ```
///
/// A `@rejected` record keeps the place, so that a reader of the log can ask what happened to that value before. The record
/// itself follows the revision whose state refused the action.
public protocol PlacedError: Error {
  /// A JSON Pointer (RFC 6901) into the encoded state. A value that is missing there is named by the place at which it would be.
  var place: JSONPointer { get }
}

/// A `@rejected` record.
struct Refusal: Sendable {
  var draft: LogDraft
  /// How many refused actions it tells of: itself, and those before it that were only counted.
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

  /// The record of a refused action, or `nil` when the limit of this window is reached.
  ///
  /// - Parameter now: The log's clock, so that a recording can be made again.
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

  /// Counts what a record would have told that is not in the log.
  mutating func lose(_ refusal: Refusal) {
    suppressed += refusal.count
  }

  /// Whether a time belongs to the present window. When the clock goes back, a new one begins.
  private func isWithinWindow(_ now: LogTime) -> Bool {
    guard let windowStart, now >= windowStart else { return false }
    return .microseconds(now.microseconds - windowStart.microseconds) < policy.window
  }

  private func record(of form: ActionForm, error: any Error) -> RejectedRecord {
    let failure = RejectedRecord.Failure(
      type: String(describing: Swift.type(of: error)), code: code(of: error), message: String(describing: error),
      place: (error as? any PlacedError)?.place.description)
    return RejectedRecord(type: form.type, data: form.data, error: failure, suppressedCount: suppressed)
  }

  /// The error's member `code`, where it has one: the guide's errors are structs with a code.
  private func code(of error: any Error) -> String {
    Mirror(reflecting: error).children.first { child in child.label == "code" }
      .map { child in String(describing: child.value) } ?? ""
  }
}
