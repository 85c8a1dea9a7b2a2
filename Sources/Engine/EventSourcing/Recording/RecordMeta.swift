public import ActionLog
public import JSONCoding

/// Who caused an action, and in what connection: the answers that an audit asks for and that an action does not carry.
public struct RecordMeta: Equatable, Sendable {
  /// Who did it, for instance a user's id.
  public var actor: String?
  /// The revision of the action that this one follows from.
  public var cause: Int?
  /// What ties the actions of one undertaking together.
  public var correlation: String?
  /// The session of the application.
  public var session: String?
  /// The application or device.
  public var app: String?
  /// Members of the caller's own. One with the name of a property that is set is not written.
  public var other: [String: JSONValue]

  /// Makes meta data; what is not named is absent.
  public init(
    actor: String? = nil,
    cause: Int? = nil,
    correlation: String? = nil,
    session: String? = nil,
    app: String? = nil,
    other: [String: JSONValue] = [:]
  ) {
    self.actor = actor
    self.cause = cause
    self.correlation = correlation
    self.session = session
    self.app = app
    self.other = other
  }

  /// The meta data that a ``RecordingStore`` gives to every action dispatched in the current task.
  @TaskLocal public static var current: RecordMeta?
}

extension RecordMeta {
  /// This meta data, with what `later` says taking precedence.
  public func merging(_ later: RecordMeta?) -> RecordMeta {
    guard let later else { return self }
    return RecordMeta(
      actor: later.actor ?? actor,
      cause: later.cause ?? cause,
      correlation: later.correlation ?? correlation,
      session: later.session ?? session,
      app: later.app ?? app,
      other: other.merging(later.other) { _, new in new }
    )
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { self == RecordMeta() }
}

extension RecordMeta {
  /// Reads the meta data of a record.
  ///
  /// A known member of another type than ours is kept among ``other``, so nothing is lost.
  public init(_ object: JSONObject) {
    self.init()
    for (name, value) in object {
      switch (name, value) {
      case ("actor", .string(let text)): actor = text
      case ("correlation", .string(let text)): correlation = text
      case ("session", .string(let text)): session = text
      case ("app", .string(let text)): app = text
      case ("cause", .number(let number)) where number.int != nil: cause = number.int
      default: other[name] = value
      }
    }
  }

  /// Reads the meta data of a record; empty when it has none.
  ///
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record's `meta`).
  public init(of record: LogRecord) throws(JSONError) {
    guard let bytes = record.meta, case .object(let object) = try JSONValue(parsing: bytes) else {
      self.init()
      return
    }
    self.init(object)
  }

  /// The action that a record names as its cause, without a look at its other remarks.
  ///
  /// - Returns: `nil` when it names none.
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record's `meta`), in the memory of a copy and of the names in it.
  package static func cause(of record: LogRecord) throws(JSONError) -> Int? {
    guard let meta = record.meta else { return nil }
    return try JSONTape(parsing: meta[...], keeping: ["cause"]).root["cause"]?.int()
  }

  /// The members in the order in which they are written: the known ones, then the others by name.
  public var object: JSONObject {
    var members: [(name: String, value: JSONValue)] = []
    if let actor { members.append((name: "actor", value: .string(actor))) }
    if let cause { members.append((name: "cause", value: .number(JSONNumber(cause)))) }
    if let correlation { members.append((name: "correlation", value: .string(correlation))) }
    if let session { members.append((name: "session", value: .string(session))) }
    if let app { members.append((name: "app", value: .string(app))) }
    let written = Set(members.map(\.name))
    for (name, value) in other.sorted(by: { $0.key < $1.key }) where !written.contains(name) {
      members.append((name: name, value: value))
    }
    return JSONObject(members)
  }

  /// The bytes for a record's `meta`, or `nil` when nothing is said.
  package var bytes: [UInt8]? {
    isEmpty ? nil : JSONValue.object(object).bytes()
  }
}
