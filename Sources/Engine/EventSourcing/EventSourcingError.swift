public import ActionLog
import JSONCoding

/// A disagreement between a log and a model.
///
/// Failures of the log itself are `LogError` values; this error is about the meaning of the log's contents.
public struct EventSourcingError: DescribedError, Sendable {
  /// The kinds of failure that callers can distinguish.
  public enum Code: String, Sendable, CaseIterable {
    /// An action in the log does not decode as an action of the model.
    case undecodableAction
    /// The log has an action of a type that the model does not have, and the model's policy is to refuse such types.
    case unknownType
    /// An upcaster failed.
    case upcastFailed
    /// The log was recorded under a schema that is older than the first step of the model's evolution.
    case schemaTooOld
    /// The steps of a model's ``SchemaEvolution`` do not lead to its schema: there is a gap, a cycle or a duplicate.
    case brokenEvolution
    /// The reducer refused an action that was accepted when it was recorded.
    case refusedInReplay
    /// The initial state of the log, in its `@base` record, does not decode as a state of the model.
    case undecodableState
    /// A digest in the log does not match the folded state, and the policy is to fail.
    case divergence
    /// A store's state is not the state at the log's last revision, so a recording would replay to another state.
    case storeMismatch
    /// Actions of another store are still waiting to be recorded.
    case alreadyListening
    /// A store was detached from its recorder and refuses actions, or accepted some for another recorder that the log lacks.
    case storeDetached
    /// The first actions are missing, and no snapshot replaces them: a later segment was opened by itself.
    case incompleteHistory
    /// The state cannot be encoded, or does not decode to itself.
    case unencodableState
    /// An action cannot be encoded, or does not decode to itself.
    case unencodableAction
    /// The log is not at the revision that a decision expects. ``EventSourcingError/revision`` is the present one.
    case conflict
    /// The position of a subscription belongs to another log, or to a log that was restored from an older backup.
    case positionMismatch
    /// The stored position of a subscription is damaged.
    case invalidPosition
    /// The log has no subscription of the given name.
    case unknownSubscription
    /// A subscription could not deliver an action.
    case deliveryFailed
  }

  /// The kind of failure.
  public var code: Code
  /// The failure: lower case, without the location.
  public var message: String
  /// The path of the log, snapshot or segment.
  public var path: String?
  /// The revision at which it happened.
  public var revision: Int?
  /// The things that are intact, in complete sentences.
  public var intact: String?
  /// Advice on what to do, in complete sentences.
  public var advice: MessageText?
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
  public init(
    _ code: Code,
    _ message: String,
    path: String? = nil,
    revision: Int? = nil,
    intact: String? = nil,
    advice: MessageText? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.revision = revision
    self.intact = intact
    self.advice = advice
    self.underlying = underlying
  }

  /// The path and the revision.
  public var location: ErrorLocation { ErrorLocation(path: path, revision: revision) }

  /// The description of the error that caused this one.
  public var cause: String? { underlying.map { error in CodingFault(error).description } }
}
