/// What came of folding a log twice and comparing everything with everything: see ``History/prove(at:against:options:)``.
public struct ReplayProof: Sendable {
  /// The revision that was folded to.
  public var revision: Int
  /// The digest of the state there.
  public var digest: StateDigest
  /// Digests in the log that were compared with the fold.
  public var digestsChecked: Int
  /// Digests that were recorded under another schema and differ: see ``ReplayReport/digestsOfOtherSchemas``.
  public var digestsOfOtherSchemas: Int
  /// Snapshots that were compared with the fold, whoever folded them.
  public var snapshotsChecked: Int
  /// Snapshots that belong to another log, model, schema or past, or cannot be read.
  public var snapshotsPassedOver: [SnapshotRefusal]
  /// Where the second fold was done.
  public var witness: String
  /// Revisions at which the two folds were compared.
  public var statesCompared: Int
  /// What differs: at most one entry for each ``ReplayDisagreement/Kind``, the first of its kind.
  public var disagreements: [ReplayDisagreement]
  /// Damage that the log holds beyond ``revision``.
  public var damage: LogDamage?
  /// Actions that were folded, in both places together.
  public var actionsFolded: Int

  /// Whether everything agrees, and nothing of the log is damaged.
  public var isProven: Bool { disagreements.isEmpty && damage == nil }
}
