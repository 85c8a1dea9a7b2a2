/// What went wrong between a log and a model, where, what is still good, and what to do.
///
/// Failures of the log itself are `LogError` values; this error is for what the log's bytes mean. Programs branch on
/// ``code``; ``description`` is for people and may change.
public struct EventSourcingError: Error, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// An action in the log does not decode as the model's action.
    case undecodableAction
    /// The model has no action of a type that is in the log, and its policy is to refuse such types.
    case unknownType
    /// An upcaster failed.
    case upcastFailed
    /// The log was recorded under a schema that the model's evolution does not begin at.
    case schemaTooOld
    /// The steps of a model's ``SchemaEvolution`` do not lead to its schema: a gap, a cycle, a duplicate.
    case brokenEvolution
    /// The reducer refused an action that is in the log: code and log disagree.
    case refusedInReplay
    /// The state that the log begins with, in its `@base` record, does not decode as the model's state.
    case undecodableState
    /// A digest in the log differs from the state that the fold gives, and the policy forbids to go on.
    case divergence
    /// A store's state is not the log's last revision, so recording it would make a log that rebuilds another state.
    case storeMismatch
    /// The recorder listens to another store already.
    case alreadyListening
    /// A store has accepted actions after the recorder had left it, and they are not in the log.
    case storeDetached
    /// Actions of the beginning are missing: a segment by itself, without a usable snapshot.
    case incompleteHistory
    /// The state cannot be encoded.
    case unencodableState
    /// An action cannot be encoded.
    case unencodableAction
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The log, snapshot or segment.
  public var path: String?
  /// The revision at which it happened.
  public var seq: Int?
  /// What is still good, and what to do: whole sentences.
  public var advice: String?
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
  public init(
    _ code: Code,
    _ message: String,
    path: String? = nil,
    seq: Int? = nil,
    advice: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.seq = seq
    self.advice = advice
    self.underlying = underlying
  }
}

extension EventSourcingError: CustomStringConvertible {
  /// For instance `the reducer refused action 12: animals, seq 12: animalNotFound. Revisions 0…11 can be read.`
  public var description: String {
    var text = message
    let place = [path, seq.map { seq in "seq \(seq)" }].compactMap(\.self).joined(separator: ", ")
    if !place.isEmpty { text += ": " + place }
    if let underlying { text += ": \(underlying)" }
    if let advice { text += ". " + advice }
    return text
  }
}
