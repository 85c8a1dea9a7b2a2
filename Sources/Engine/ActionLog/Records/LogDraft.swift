/// A record before it has a place: what a caller asks the writer to append.
public struct LogDraft: Sendable, Equatable {
  /// The action's case path, or one of the control records `@base`, `@digest`, `@rejected` and
  /// `@report`.
  public let type: String
  /// A JSON object.
  public let data: [UInt8]
  /// A JSON object of remarks, for instance `{"actor":"u7"}`.
  public let meta: [UInt8]?
  /// When it happened; `nil` for the time at which the writer takes it.
  public let time: LogTime?

  /// Whether `data` comes from the module's own encoder, so that it need not be read again to know that it is strict.
  let isDataChecked: Bool

  /// Makes a draft from bytes of any origin; the writer checks them.
  ///
  /// - Parameters:
  ///   - type: 1 to 1 024 bytes.
  ///   - data: A strict JSON object without line feeds.
  ///   - meta: A strict JSON object without line feeds.
  ///   - time: When it happened.
  public init(type: String, data: [UInt8], meta: [UInt8]? = nil, time: LogTime? = nil) {
    self.type = type
    self.data = data
    self.meta = meta
    self.time = time
    isDataChecked = false
  }

  /// Makes a draft of an action.
  ///
  /// - Parameters:
  ///   - form: What ``ActionCoding/encode(_:)`` returns.
  ///   - meta: A strict JSON object without line feeds.
  ///   - time: When it happened.
  public init(_ form: ActionForm, meta: [UInt8]? = nil, time: LogTime? = nil) {
    type = form.type
    data = form.data
    self.meta = meta
    self.time = time
    isDataChecked = form.isEncoded
  }

  /// Whether the draft is a control record and not an action.
  public var isControl: Bool { type.utf8.first == UInt8(ascii: "@") }
}
