/// What a recorder does when the log's digests show that its state is not what this code folds: the reducer was changed.
public enum RecordingDivergencePolicy: Sendable, Equatable {
  /// Go on with the folded state, as the code of now sees the past. The default; no digest is compared for it.
  case useFold
  /// Refuse to open: ``EventSourcingError/Code/divergence``. Opening folds the whole log, without snapshots, to find out.
  case fail
  /// Go on with the state that people saw, in a new log at this path that names the old one as its parent.
  ///
  /// Opening folds the whole log, without snapshots, to find out. Where the log at the path exists and was made so,
  /// recording goes on there: the configuration can stay as it is, and the old log is not written to any more. To freeze once
  /// more, after another change, open the new log with a path for the next one.
  ///
  /// Where actions behind the newest snapshot of then give another state than a digest in the log names, what people saw at the
  /// end is not left, and opening is refused: ``EventSourcingError/Code/divergence``. See
  /// ``History/freezeBase(into:at:configuration:)``.
  case freezeBase(into: String)
}
