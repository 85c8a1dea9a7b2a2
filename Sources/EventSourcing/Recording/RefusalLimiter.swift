import ActionLog
import JSONCoding

/// Makes `@rejected` records of refused actions, as many as the policy allows.
struct RefusalLimiter: Sendable {
  private let policy: RefusalPolicy
  private var windowStart: ContinuousClock.Instant?
  private var recorded = 0
  private var suppressed = 0

  init(policy: RefusalPolicy) {
    self.policy = policy
  }

  /// The record of a refused action, or `nil` when the limit of this window is reached.
  mutating func draft(
    of form: ActionForm, error: any Error, meta: [UInt8]?, now: ContinuousClock.Instant = .now
  ) -> LogDraft? {
    if let windowStart, now - windowStart < policy.window {
      guard recorded < policy.limit else {
        suppressed += 1
        return nil
      }
    } else {
      windowStart = now
      recorded = 0
      guard policy.limit > 0 else {
        suppressed += 1
        return nil
      }
    }
    recorded += 1
    defer { suppressed = 0 }
    return LogDraft(type: "@rejected", data: data(of: form, error: error), meta: meta)
  }

  private func data(of form: ActionForm, error: any Error) -> [UInt8] {
    var data: [UInt8] = Array("{\"type\":".utf8)
    JSONText.appendString(form.type, to: &data)
    data += ",\"data\":".utf8
    data += form.data
    data += ",\"error\":{\"type\":".utf8
    JSONText.appendString(String(describing: Swift.type(of: error)), to: &data)
    data += ",\"code\":".utf8
    JSONText.appendString(code(of: error), to: &data)
    data += ",\"message\":".utf8
    JSONText.appendString(String(describing: error), to: &data)
    data += "}".utf8
    if suppressed > 0 { data += ",\"suppressed\":\(suppressed)".utf8 }
    data += "}".utf8
    return data
  }

  /// The error's member `code`, where it has one: the guide's errors are structs with a code.
  private func code(of error: any Error) -> String {
    Mirror(reflecting: error).children.first { child in child.label == "code" }
      .map { child in String(describing: child.value) } ?? ""
  }
}
