package import ActionLog

/// How a log can be wrong after a failure.
package enum Flaw: Sendable, CustomStringConvertible {
  /// Acknowledged actions are missing, and the log opens as if nothing were.
  case lost(found: Int, acknowledged: Int)
  /// The same, where no promise can be kept but what lies on the disk shows that there was more.
  case overlooked(found: Int, acknowledged: Int, proof: String)
  /// An action is not the one that was acknowledged, or was never offered.
  case wrongAction(Int, String)
  /// The log opens, and then does not verify.
  case unverified(String)
  /// The log was refused.
  case refused(LogError)
  /// Something failed that has no reason to.
  case failed(String)

  /// Whether the engine only took the log for damaged: nothing is lost, nothing wrong is believed.
  package var isRefusal: Bool {
    if case .refused(let error) = self { return error.code == .damaged }
    return false
  }

  /// Whether acknowledged actions are missing.
  package var isLoss: Bool {
    if case .lost = self { return true }
    return false
  }

  /// What it is, in words.
  package var description: String {
    switch self {
    case .lost(let found, let acknowledged): "lost: the log ends at \(found), \(acknowledged) were acknowledged"
    case .overlooked(let found, let acknowledged, let proof):
      "overlooked: the log ends at \(found), \(acknowledged) were acknowledged, and \(proof)"
    case .wrongAction(let number, let reason): "wrong: action \(number): \(reason)"
    case .unverified(let text): "does not verify: \(text)"
    case .refused(let error): "refused: \(error)"
    case .failed(let text): "failed: \(text)"
    }
  }
}
