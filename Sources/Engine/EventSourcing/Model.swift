/// What the engine must know of an application to rebuild its state: a name, a schema version, the state before any
/// action, and the reducer.
///
/// A model has no instance; it is a namespace that the engine folds with.
///
/// ```swift
/// enum Counter: Model {
///   static let name = "counter"
///   static let schema = 1
///   static let initialState = 0
///
///   enum Action: String, Codable { case up, down }
///
///   static func reduce(into state: inout Int, action: Action) throws {
///     state += action == .up ? 1 : -1
///   }
/// }
/// ```
public protocol Model: SendableMetatype {
  /// The whole state: a value, of values.
  associatedtype State: Codable & Equatable & Sendable
  /// What can happen: a value, best an `enum`.
  associatedtype Action: Codable & Equatable & Sendable

  /// The name that logs of this model carry, for instance `animals`. Not empty, at most 255 bytes.
  static var name: String { get }
  /// The version of the shape of the actions, from 1. Raise it when a case or label of a stored action changes.
  static var schema: Int { get }
  /// How actions that older versions recorded are read by this one. By default none are.
  ///
  /// Raising ``schema`` takes a ``SchemaStep`` from the version before, if only `.unchanged(from:to:)`.
  static var evolution: SchemaEvolution { get }
  /// A text that changes with the code that folds, so that no snapshot of other code is used; `nil` if there is none.
  ///
  /// The build-tool plugin `SourceFingerprint` of this package makes one of the sources of a target, and of the targets of
  /// the same package that it stands on:
  ///
  /// ```swift
  /// static let sourceFingerprint = SourceFingerprint.value
  /// ```
  ///
  /// Without one, a snapshot is used only if this code folds the log's first 64 actions, and those between the snapshot and the
  /// one before it, to the same states. That costs a fold of those actions, and misses a change that shows only in others.
  static var sourceFingerprint: String? { get }
  /// The state at revision 0.
  static var initialState: State { get }

  /// Folds one action into a state, in place.
  ///
  /// It uses nothing but its two arguments: no clock, no random value, no file, no order of a `Set` or `Dictionary`.
  /// In-place reduction is for replay: a live store works on a copy, so a reducer that throws half-way never touches
  /// the state that people see.
  ///
  /// - Throws: Any error, to refuse the action. What is then left in `state` is thrown away.
  static func reduce(into state: inout State, action: Action) throws
}

extension Model {
  /// No older version is read, and unknown types are refused.
  public static var evolution: SchemaEvolution { .none }

  /// There is none: snapshots are examined before they are used.
  public static var sourceFingerprint: String? { nil }

  /// The reducer in the form that a `Store` takes: a pure function from state and action to the next state.
  public static var reducer: @Sendable (State, Action) throws -> State {
    { state, action in
      var next = state
      try reduce(into: &next, action: action)
      return next
    }
  }
}
