package import ActionLog

/// A second state folded from the actions of a model's log, with a version and snapshots of its own.
///
/// A projection has no instances; it is a namespace, like a model.
///
/// ```swift
/// enum SalesPerDay: Projection {
///   typealias Source = Shop  // the model whose log is read
///   static let name = "sales-per-day"
///   static let version = 1
///   static let initialState = State()
///
///   struct State: Codable, Equatable, Sendable { var orders: [String: Int] = [:] }
///
///   static func apply(_ recorded: ProjectedAction<Shop.Action>, to state: inout State) {
///     guard case .placed = recorded.action else { return }
///     state.orders[String(recorded.time.description.prefix(10)), default: 0] += 1
///   }
/// }
/// ```
///
/// A ``ProjectionRunner`` keeps the state up to date; a ``ProjectionHistory`` answers questions about its past.
public protocol Projection: SendableMetatype {
  /// The model whose actions are folded.
  associatedtype Source: Model
  /// The state: a value composed of values.
  associatedtype State: Codable & Equatable & Sendable

  /// The name, which is also the name of the folder of the snapshots: 1 to 64 of the characters `a`–`z`, `0`–`9`, `-`, `_` and
  /// `.`, beginning with a letter or a digit.
  static var name: String { get }
  /// The version of state and code, from 1. Raise it when either changes; snapshots of other versions are not used.
  static var version: Int { get }
  /// A text that changes with the code of ``apply(_:to:)``; `nil` if only ``version`` identifies it. See ``Model/sourceFingerprint``.
  static var sourceFingerprint: String? { get }
  /// The state at revision 0.
  static var initialState: State { get }

  /// Returns the state at revision 0 of a log that does not begin with the model's initial state, for example because it
  /// continues a frozen log, or at the first revision of a pruned log.
  ///
  /// A projection need not implement it. It then folds only the actions of a log that continues another one. On a pruned log, whose
  /// first actions it would miss, it begins with a snapshot of its own from the base on, or fails with `LogError.Code.pruned`.
  static func state(startingFrom base: Source.State) throws -> State

  /// Folds one action into the state, in place.
  ///
  /// Use only the two arguments: no clock, random value or file, and no iteration order of a `Set` or `Dictionary`. The time
  /// and the metadata of the record are part of the argument. `replay --verify --projection NAME` proves this.
  static func apply(_ recorded: ProjectedAction<Source.Action>, to state: inout State)
}

extension Projection {
  /// No fingerprint: the version identifies the code.
  public static var sourceFingerprint: String? { nil }

  /// Throws an error that stands for: the state of the model says nothing about that of the projection.
  public static func state(startingFrom base: Source.State) throws -> State { throw UnrelatedBase() }

  /// The name and the version.
  public static var identity: ProjectionIdentity { ProjectionIdentity(name: name, version: version) }
}

/// The error of a projection that has no state for the state with which a log begins.
private struct UnrelatedBase: Error {}

/// The name and version of a projection, which its snapshots record.
public struct ProjectionIdentity: Hashable, Sendable, CustomStringConvertible {
  /// The name of the projection and of its folder.
  public var name: String
  /// The version of its state and code.
  public var version: Int

  /// For instance `projection 'sales-per-day', version 1`.
  public var description: String { "projection '\(name)', version \(version)" }

  /// Long enough for a name that means something, and short enough for every file system.
  static let nameLimit = 64

  /// Whether a text can be the name of a projection: the name of a folder that no file system changes.
  package static func isName(_ text: String) -> Bool {
    guard (1...nameLimit).contains(text.utf8.count), let first = text.utf8.first else { return false }
    func isAlphanumeric(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return isAlphanumeric(first) && text.utf8.allSatisfy { byte in isAlphanumeric(byte) || "-_.".utf8.contains(byte) }
  }

  /// Throws if the name cannot be the name of a folder, or the version is not positive.
  func check(path: String) throws(LogError) {
    guard Self.isName(name) else {
      throw LogError(
        .invalidArgument, "'\(name)' is not a name for a projection", path: path,
        advice:
          "Use 1 to \(Self.nameLimit) of the characters a–z, 0–9, '-', '_' and '.', beginning with a letter or a digit."
      )
    }
    guard version >= 1 else {
      throw LogError(
        .invalidArgument, "\(version) is not a version of projection '\(name)'", path: path,
        advice: "Versions begin with 1.")
    }
  }
}

/// A projection in the form of a model, so that a ``History`` and all questions about the past work on it.
///
/// Only the state differs from the source's: the log, the actions, their schema and their evolution are the same. No log can be
/// recorded, branched or frozen with it, because the log's own state is that of the source.
public enum Projected<P: Projection>: Model {
  /// The state of the projection.
  public typealias State = P.State
  /// An action of the source with the revision, time and metadata of its record.
  public typealias Action = ProjectedAction<P.Source.Action>

  /// The name of the source, which the log records.
  public static var name: String { P.Source.name }
  /// The schema of the source's actions.
  public static var schema: Int { P.Source.schema }
  /// The evolution of the source's actions.
  public static var evolution: SchemaEvolution { P.Source.evolution }
  /// The fingerprint of the projection.
  public static var sourceFingerprint: String? { P.sourceFingerprint }
  /// The state of the projection at revision 0.
  public static var initialState: P.State { P.initialState }

  /// Applies the projection.
  public static func reduce(into state: inout P.State, action: Action) { P.apply(action, to: &state) }
}

/// The past of a projection: every question about a ``History`` works on it.
///
/// ```swift
/// let history = try ProjectionHistory<SalesPerDay>(at: "my-log")
/// let then = try history.state(at: 12)
/// ```
public typealias ProjectionHistory<P: Projection> = History<Projected<P>>

/// A model that folds a projection. Only ``Projected`` adopts it.
protocol ProjectedModel: Model {
  static var identity: ProjectionIdentity { get }

  /// Returns the state at revision 0 of a log with a `@base` record.
  static func state(startingFrom base: LogRecord, _ chain: SchemaChain) throws -> State

  /// Returns the state at the first revision of a pruned log.
  static func state(startingFrom base: LogBase, path: String, _ chain: SchemaChain) throws -> State
}

extension Projected: ProjectedModel {
  static var identity: ProjectionIdentity { P.identity }

  static func state(startingFrom base: LogRecord, _ chain: SchemaChain) throws -> P.State {
    let state = try InitialRecords<P.Source>.decodeBase(base, chain)
    // The actions before it are those of another log.
    do { return try P.state(startingFrom: state) } catch is UnrelatedBase { return P.initialState }
  }

  static func state(startingFrom base: LogBase, path: String, _ chain: SchemaChain) throws -> P.State {
    let state = try InitialRecords<P.Source>.state(of: base, path: path, chain)
    do { return try P.state(startingFrom: state) } catch is UnrelatedBase {
      throw LogError(
        .pruned,
        "\(P.identity) cannot begin with the log's base: the actions up to \(base.revision) are gone, and no snapshot of it is newer",
        path: path, revision: base.revision,
        advice:
          "Put the archived segments back: \(.restoringArchive). Or implement 'state(startingFrom:)', which makes its state of the log's."
      )
    }
  }
}

extension Model {
  /// The projection that this model folds; `nil` for the model of a log.
  package static var projection: ProjectionIdentity? {
    (Self.self as? any ProjectedModel.Type)?.identity
  }

  /// Throws if this is a projection, whose state must not become the state of a log.
  package static func requireOwnState(for purpose: String, path: String) throws(LogError) {
    guard let projection else { return }
    throw LogError(
      .wrongModel, "\(purpose) needs the state of model '\(name)', not that of \(projection)", path: path,
      advice: "Use the model. Nothing was changed.")
  }
}
