/// The control records of the format.
public enum ControlType: String, Sendable, CaseIterable {
  /// The first line of a segment.
  case segment = "@segment"
  /// A writer took the log.
  case open = "@open"
  /// A writer left it cleanly.
  case close = "@close"
  /// The state at revision 0, when it is not the model's initial state.
  case base = "@base"
  /// The digest of the state at a revision.
  case digest = "@digest"
  /// An action that the reducer refused.
  case rejected = "@rejected"
  /// What a bug report says of itself, behind its last action.
  case report = "@report"
  /// Reserved: the payload of a record was erased.
  case redact = "@redact"
  /// Reserved: the beginning of the log was given up.
  case prune = "@prune"

  /// Whether the writer itself writes the record, so that no draft may carry the type.
  var isStructural: Bool {
    switch self {
    case .segment, .open, .close, .redact, .prune: true
    case .base, .digest, .rejected, .report: false
    }
  }
}
