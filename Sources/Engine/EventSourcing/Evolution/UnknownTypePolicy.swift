/// What to do with an action whose type the model does not have.
///
/// It is about whole types. An action of a known type whose values do not decode is an error under either policy.
public enum UnknownTypePolicy: String, Sendable, CaseIterable {
  /// Stop with ``EventSourcingError/Code/unknownType``: what is not understood may have mattered.
  case refuse
  /// Keep it as an opaque record: it has its revision, and the state there is that of the revision before.
  ///
  /// A state behind an opaque record is less than the log says, so no snapshot is taken of it.
  case keep
}
