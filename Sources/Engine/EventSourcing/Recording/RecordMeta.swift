public import ActionLog
import ImmutableData
public import JSONCoding

/// The metadata of an action: who caused it and in which context, for audits.
public struct RecordMeta: Equatable, Sendable {
  /// The actor, for instance a user's identifier.
  public var actor: String?
  /// The revision of the action that caused this one.
  public var cause: Int?
  /// An identifier shared by the actions of one operation.
  public var correlation: String?
  /// The session of the application.
  public var session: String?
  /// The application or device.
  public var app: String?
  /// The identifier of the command that the action was recorded for; see
  /// ``LogStore/dispatch(_:expecting:command:meta:awaiting:)``.
  public var command: String?
  /// Additional members. A member with the name of a property that is set is not written.
  public var other: JSONObject

  /// Makes metadata. Omitted members are absent.
  public init(
    actor: String? = nil,
    cause: Int? = nil,
    correlation: String? = nil,
    session: String? = nil,
    app: String? = nil,
    command: String? = nil,
    other: JSONObject = [:]
  ) {
    self.actor = actor
    self.cause = cause
    self.correlation = correlation
    self.session = session
    self.app = app
    self.command = command
    self.other = other
  }

  /// The metadata added to every action dispatched in the current task to a ``RecordingStore`` or ``LogStore``, or to the store
  /// that a ``Recorder`` listens to.
  @TaskLocal public static var current: RecordMeta?
}

extension RecordMeta {
  /// Performs the effect of the action that a stream delivered last: every action that `effect` dispatches names it in ``cause``.
  ///
  /// A listener wraps its reaction to each action:
  ///
  /// ```swift
  /// for await (oldState, action) in stream {
  ///   await RecordMeta.withCause(latestIn: stream) { await react(to: action, in: oldState) }
  /// }
  /// ```
  ///
  /// The cause is part of ``current``. It holds for thunks, after suspensions, and in tasks that `effect` creates, including those
  /// that continue after it returned. Without a recorder, and for streams of other kinds of stores, `effect` runs without a cause.
  ///
  /// - Parameters:
  ///   - stream: A stream of a recorded store. The caller is its consumer and has received an action.
  ///   - isolation: The caller's actor, on which `effect` runs.
  ///   - effect: The effect of the action.
  /// - Throws: The error of `effect`.
  public static func withCause<State: Sendable, Action: Sendable, Stream: AsyncSequence, Value, Failure: Error>(
    latestIn stream: Stream, isolation: isolated (any Actor)? = #isolation,
    _ effect: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value where Stream.Element == (oldState: State, action: Action) {
    let stream = stream as? ActionStream<(oldState: State, action: Action)>
    guard let revision = stream?.lastRevision else { return try await effect() }
    let meta = (current ?? RecordMeta()).merging(RecordMeta(cause: revision))
    let outcome = await $current.withValue(meta) { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await effect()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}

extension RecordMeta {
  /// Returns this metadata merged with `later`, whose members take precedence.
  public func merging(_ later: RecordMeta?) -> RecordMeta {
    guard let later else { return self }
    var other = other
    for (name, value) in later.other { other[name] = value }
    return RecordMeta(
      actor: later.actor ?? actor,
      cause: later.cause ?? cause,
      correlation: later.correlation ?? correlation,
      session: later.session ?? session,
      app: later.app ?? app,
      command: later.command ?? command,
      other: other
    )
  }

  /// Whether there is no metadata.
  public var isEmpty: Bool { self == RecordMeta() }
}

extension RecordMeta {
  /// Reads the metadata of a record.
  ///
  /// A known member of an unexpected type is kept in ``other``, so nothing is lost.
  public init(_ object: JSONObject) {
    self.init()
    for (name, value) in object {
      switch (name, value) {
      case ("actor", .string(let text)): actor = text
      case ("correlation", .string(let text)): correlation = text
      case ("session", .string(let text)): session = text
      case ("app", .string(let text)): app = text
      case ("command", .string(let text)): command = text
      case ("cause", .number(let number)) where number.int != nil: cause = number.int
      default: other[name] = value
      }
    }
  }

  /// Reads the metadata of a record; empty if it has none.
  ///
  /// - Throws: `JSONError`, for a record that was not read from a log.
  public init(of record: LogRecord) throws(JSONError) {
    guard let bytes = record.meta, case .object(let object) = try JSONValue(parsing: bytes) else {
      self.init()
      return
    }
    self.init(object)
  }

  /// Reads only `meta.cause`.
  package static func cause(of record: LogRecord) throws(JSONError) -> Int? {
    guard let meta = record.meta else { return nil }
    return try cause(in: meta[...])
  }

  /// Reads only `meta.command`.
  static func command(of record: LogRecord) throws(JSONError) -> String? {
    guard !record.isControl, let meta = record.meta else { return nil }
    return try command(in: meta)
  }

  static func command(in meta: [UInt8]) throws(JSONError) -> String? {
    try JSONTape(parsing: meta[...], keeping: ["command"]).root["command"]?.string()
  }

  /// Reads only `cause` of the metadata of a record, as ``cause(of:)`` does.
  package static func cause(in meta: ArraySlice<UInt8>) throws(JSONError) -> Int? {
    try JSONTape(parsing: meta, keeping: ["cause"]).root["cause"]?.int()
  }

  /// The members in the order in which they are written: the known ones, then the others by the bytes of their names.
  public var object: JSONObject {
    var members = JSONObject()
    members["actor"] = actor.map(JSONValue.string)
    members["cause"] = cause.map { cause in .number(JSONNumber(cause)) }
    members["correlation"] = correlation.map(JSONValue.string)
    members["session"] = session.map(JSONValue.string)
    members["app"] = app.map(JSONValue.string)
    members["command"] = command.map(JSONValue.string)
    for (name, value) in other.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    where members[name] == nil {
      members[name] = value
    }
    return members
  }

  /// The bytes of a record's `meta`; `nil` if there is no metadata.
  package var bytes: [UInt8]? {
    isEmpty ? nil : JSONValue.object(object).bytes()
  }
}
