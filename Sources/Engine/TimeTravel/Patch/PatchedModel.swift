public import EventSourcing
public import JSONCoding
import TreeCollections

/// The model of logs of other programs: a state that is any JSON value, and actions that carry their effect on it.
///
/// Every tool knows it by the name `patched`, so the log of a program in any language has all that the tool offers. An action of
/// the log has the data that the program recorded and one more member, whose name begins with `@`:
///
/// ```json
/// {"seq":7,…,"type":"cart/itemAdded","data":{"sku":"A-7","@patch":[{"op":"add","path":"/items/A-7","value":{"count":1}}]},…}
/// ```
///
/// The reducer refuses a patch that does not apply to the state.
public enum PatchedModel: Model {
  /// `patched`.
  public static let name = "patched"
  /// The version of the form of the effects.
  public static let schema = 1
  /// It stays the same while a patch has the same effect.
  public static let sourceFingerprint: String? = "1"
  /// An empty object.
  public static let initialState = State.object(TreeDictionary())

  /// Applies the effect of an action.
  ///
  /// - Throws: An error that names the operation and its location, if a patch does not apply or a limit is exceeded.
  /// - Complexity: O(depth · log members) for an operation on a member of an object, and O(elements) in an array.
  public static func reduce(into state: inout State, action: Action) throws {
    switch action.effect {
    case .none: break
    case .patch(let patch): try state.apply(patch)
    case .merge(let changes): try state.merge(changes)
    case .state(let next): try state.apply(state.patch(to: next))
    }
  }

  /// Replaces an effect that repeats the complete state by the patch to that state, which is what a recorder stores.
  package static func shorten(_ action: inout Action, for state: State) {
    guard case .state(let next) = action.effect else { return }
    let patch = state.patch(to: next)
    action.effect = patch.operations.isEmpty ? .none : .patch(patch)
  }
}

extension PatchedModel {
  /// Finds the effects of actions from the states that another program has recorded after them.
  package struct Differences {
    private var state: State

    package init(from initial: JSONValue) throws { state = try State(initial) }

    /// Adds the effect of an action to its data, unless it has one of its own.
    package mutating func add(to data: inout [UInt8], leadingTo next: JSONValue) throws {
      let patch = state.patch(to: next)
      try state.apply(patch)
      guard !patch.operations.isEmpty, case .object(var object) = try JSONValue(parsing: data),
        Action.members.allSatisfy({ name in object[name] == nil })
      else { return }
      object["@patch"] = patch.document
      data = JSONValue.object(object).bytes()
    }
  }

  /// What happened in another program, and its effect on the state.
  public struct Action: Equatable, Sendable {
    /// The effect of an action.
    public enum Effect: Equatable, Sendable {
      /// The state stays the same.
      case none
      /// The operations of a patch, in order.
      case patch(JSONPatch)
      /// A merge patch (RFC 7396).
      case merge(JSONValue)
      /// The next state.
      case state(JSONValue)
    }

    /// The type, any text that an action log can store.
    public var type: String
    /// The data, without the member for the effect.
    public var data: JSONObject
    /// The effect.
    public var effect: Effect

    /// Creates an action.
    ///
    /// - Precondition: No member of the data has the name `@patch`, `@merge` or `@state`.
    public init(type: String, data: JSONObject = [:], effect: Effect = .none) {
      precondition(Self.members.allSatisfy { name in data[name] == nil }, "the names of the effects are reserved")
      (self.type, self.data, self.effect) = (type, data, effect)
    }

    /// The names of the members of the data that have an effect.
    package static let members = ["@patch", "@merge", "@state"]
  }
}

extension PatchedModel.Action: Codable {
  /// Reads the coding of an enum whose case is the type: `{"TYPE":DATA}`, and `{"A":{"_0":{"B":DATA}}}` for the type `A.B`.
  public init(from decoder: any Decoder) throws {
    guard var (type, data) = Self.only(try decoder.singleValueContainer().decode(JSONValue.self)) else {
      throw PatchFault("an action is an object of data with a type")
    }
    while data.count == 1, let value = data["_0"], let (part, inner) = Self.only(value) {
      (type, data) = ("\(type).\(part)", inner)
    }
    var effects: [Effect] = []
    if let document = data["@patch"] { effects.append(.patch(try JSONPatch(parsing: document))) }
    if let changes = data["@merge"] { effects.append(.merge(changes)) }
    if let state = data["@state"] { effects.append(.state(state)) }
    guard effects.count <= 1 else { throw PatchFault("an action has one effect: a patch, a merge or a state") }
    if !effects.isEmpty { for name in Self.members { data[name] = nil } }
    (self.type, self.data, self.effect) = (type, data, effects.first ?? .none)
  }

  /// The only member of an object, if its value is an object.
  private static func only(_ value: JSONValue) -> (name: String, content: JSONObject)? {
    guard case .object(let object) = value, object.count == 1, case .object(let content) = object[0].value else {
      return nil
    }
    return (object[0].name, content)
  }

  /// Writes the form that ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var cases = encoder.container(keyedBy: NameKey.self)
    let parts = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for part in parts.dropLast() {
      var inner = cases.nestedContainer(keyedBy: NameKey.self, forKey: NameKey(stringValue: String(Substring(part))))
      cases = inner.nestedContainer(keyedBy: NameKey.self, forKey: NameKey(stringValue: "_0"))
    }
    let name = NameKey(stringValue: String(Substring(parts[parts.count - 1])))
    var content = cases.nestedContainer(keyedBy: NameKey.self, forKey: name)
    for (name, value) in data { try content.encode(value, forKey: NameKey(stringValue: name)) }
    switch effect {
    case .none: break
    case .patch(let patch): try content.encode(patch.document, forKey: NameKey(stringValue: "@patch"))
    case .merge(let changes): try content.encode(changes, forKey: NameKey(stringValue: "@merge"))
    case .state(let state): try content.encode(state, forKey: NameKey(stringValue: "@state"))
    }
  }
}
