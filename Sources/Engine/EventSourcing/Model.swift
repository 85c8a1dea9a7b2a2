/// The description of an application that the engine needs to rebuild its state: a name, a schema version, the initial state, and
/// the reducer.
///
/// A model has no instances; it is a namespace.
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
  /// The state of the application: a value composed of values.
  associatedtype State: Codable & Equatable & Sendable
  /// The actions of the application: a value, usually an `enum`.
  associatedtype Action: Codable & Equatable & Sendable

  /// The model's name in the header of its logs, for instance `animals`. Not empty, at most 255 bytes.
  static var name: String { get }
  /// The version of the stored form of the actions, from 1. Raise it when a case name or label of a stored action changes.
  static var schema: Int { get }
  /// The steps by which this version reads actions that older versions recorded. By default it reads none.
  ///
  /// When you raise ``schema``, add a ``SchemaStep`` from the previous version, if only `.unchanged(from:to:)`.
  static var evolution: SchemaEvolution { get }
  /// A text that changes with the code of the reducer, so that no snapshot by other code is used. With `nil`, the default, no snapshot
  /// is used at all, and each replay begins with the first action.
  ///
  /// The build-tool plugin `SourceFingerprint` of this package computes it from the sources of a target and of the targets of the
  /// same package that it depends on:
  ///
  /// ```swift
  /// static let sourceFingerprint = SourceFingerprint.value
  /// ```
  ///
  /// A constant works, too, if you change it with the reducer. The empty text adds nothing to the digests in logs, so it suits the first
  /// version of a reducer whose logs were recorded without a fingerprint.
  static var sourceFingerprint: String? { get }
  /// The state at revision 0.
  static var initialState: State { get }

  /// Folds one action into a state, in place.
  ///
  /// Use only the two arguments: no clock, random value or file, and no iteration order of a `Set` or `Dictionary`. A replay folds
  /// in place; a live store works on a copy, so a reducer that throws halfway never changes the visible state.
  ///
  /// - Throws: Any error, to refuse the action. The contents of `state` are then discarded.
  static func reduce(into state: inout State, action: Action) throws
}

extension Model {
  /// No older version is read, and unknown types are refused.
  public static var evolution: SchemaEvolution { .none }

  /// No fingerprint: no snapshot is used.
  public static var sourceFingerprint: String? { nil }

  /// The reducer in the form that a `Store` takes: a pure function from a state and an action to the next state.
  public static var reducer: @Sendable (State, Action) throws -> State {
    { state, action in
      var next = state
      try reduce(into: &next, action: action)
      return next
    }
  }
}
