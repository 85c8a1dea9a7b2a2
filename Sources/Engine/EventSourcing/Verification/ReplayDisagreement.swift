import JSONCoding

/// What differs from the fold, and where it begins.
public struct ReplayDisagreement: Equatable, Sendable, CustomStringConvertible {
  /// What the fold was compared with.
  public enum Kind: String, Sendable, CaseIterable {
    /// A second fold of the same log: the reducer depends on more than its arguments.
    case secondFold
    /// A digest in the log.
    case digest
    /// A snapshot beside the log.
    case snapshot
  }

  /// What the fold was compared with.
  public var kind: Kind
  /// The last revision that is known to agree.
  public var lastAgreement: Int
  /// The first revision that is known to differ. If it follows ``lastAgreement``, its action is where the two part.
  public var revision: Int
  /// The first place at which the states at ``revision`` differ: the fold first, then what it was compared with; `nil` if
  /// only the digest of the other state is known, or the two do not differ each time.
  public var difference: StateDifference?
  /// Whether what it was compared with says that other code wrote it.
  public var isByOtherCode: Bool

  /// What differs, where, and what the likely cause is.
  public var description: String {
    let range = revision == lastAgreement + 1 ? "revision \(revision)" : "revisions \(lastAgreement + 1)…\(revision)"
    let head =
      switch kind {
      case .secondFold: "two folds differ from \(range) on"
      case .digest: "the fold differs from the digest in the log from \(range) on"
      case .snapshot: "the fold differs from the snapshot at revision \(revision)"
      }
    let place = difference.map { difference in
      ": \(difference.pointer.description.isEmpty ? "the whole state" : difference.pointer.description) is "
        + "\(Self.text(difference.first)), \(kind == .secondFold ? "then" : "recorded") \(Self.text(difference.second))"
    }
    return head + (place ?? "") + ". " + cause
  }

  private var cause: String {
    switch kind {
    case .secondFold:
      "The reducer depends on more than its arguments: a clock, a random value, the order of a Set or Dictionary."
    case .digest, .snapshot:
      isByOtherCode
        ? "It was written by other code: the reducer was changed since."
        : "The reducer was changed since, or depends on more than its arguments."
    }
  }

  /// A value as a sentence takes it.
  private static func text(_ value: JSONValue?) -> String {
    guard let value else { return "missing" }
    let text = value.description
    // A sentence shows what a line takes; the values themselves are whole.
    return text.count <= 80 ? text : text.prefix(79) + "…"
  }
}
