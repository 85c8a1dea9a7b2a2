public import JSONCoding

/// A function that lifts the stored actions of one type, or of all types with a common beginning, to the next schema, before they
/// are decoded.
///
/// One action becomes one, several or none. Stored bytes are never rewritten; each reading lifts them. So an upcaster is part of
/// the reducer and uses only its argument: no clock, random value or file.
///
/// ```swift
/// SchemaStep(from: 1, to: 2, [
///   .rename("didTapAdd", to: "didTapAddButton"),
///   .edit("didAddAnimal") { data in data["diet"] = "Unknown" },
///   .edit("didMove", at: "/item/copies") { copies in copies = copies ?? 1 },
///   .rename("desk.*", to: "counter.*"),
///   .drop("didHover"),
/// ])
/// ```
///
/// A type that ends in `.*` is a pattern: `desk.*` is the type `desk` and every type that begins with `desk.`. In a step, a type
/// has one upcaster: the one of its complete name, otherwise the one of the longest pattern.
public struct Upcaster: Sendable {
  /// The kind of change, for reports.
  package enum Kind: Equatable, Sendable {
    case rename(to: String)
    case edit
    case drop
    case replace
    case shorten
  }

  /// The type of the actions that it lifts: complete, such as `ui.animalList.onTapDelete`, or a pattern, such as `ui.animalList.*`.
  public let type: String
  package let kind: Kind
  let pattern: TypePattern
  /// The error in its arguments; `nil` if they are valid.
  let fault: String?
  let lift: @Sendable (StoredAction) throws -> [StoredAction]

  private init(
    _ type: String, _ kind: Kind, fault: String? = nil,
    lift: @escaping @Sendable (StoredAction) throws -> [StoredAction]
  ) {
    self.type = type
    self.kind = kind
    pattern = TypePattern(type)
    self.fault = pattern.fault ?? fault
    self.lift = lift
  }

  /// Changes the action's type; its values stay the same (1→1).
  ///
  /// - Parameters:
  ///   - type: The old type. If it ends in `.*`, only the beginning changes: `desk.*` to `counter.*` changes `desk.onTap` to
  ///     `counter.onTap`.
  ///   - newType: The new type; it ends in `.*` if the old one does.
  public static func rename(_ type: String, to newType: String) -> Upcaster {
    let (old, new) = (TypePattern(type), TypePattern(newType))
    let fault = old.isPrefix == new.isPrefix ? new.fault : "both types must end in '.*', or neither"
    return Upcaster(type, .rename(to: newType), fault: fault) { action in
      [StoredAction(type: old.renamed(action.type, to: new), data: action.data)]
    }
  }

  /// Changes the action's values; its type stays the same (1→1).
  ///
  /// - Parameters:
  ///   - type: The type, or a pattern such as `desk.*`.
  ///   - change: Changes the values. An error ends the reading and names the record.
  public static func edit(
    _ type: String, _ change: @escaping @Sendable (inout JSONObject) throws -> Void
  ) -> Upcaster {
    Upcaster(type, .edit) { action in
      var action = action
      try change(&action.data)
      return [action]
    }
  }

  /// Changes one value of the action; its type stays the same (1→1).
  ///
  /// ```swift
  /// .edit("desk.onTapLend", at: "/item/copies") { copies in copies = copies ?? 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type, or a pattern such as `desk.*`.
  ///   - change: Receives the value, or `nil` if the object does not have the member. If it leaves `nil`, the member or element is
  ///     removed. It is not called for an action without the object or element to change. An error ends the reading and names the
  ///     record.
  ///   - pointer: The location in the values, as a JSON Pointer. A malformed one is ``EventSourcingError/Code/brokenEvolution``
  ///     when the log is opened.
  public static func edit(
    _ type: String, at pointer: String, _ change: @escaping @Sendable (inout JSONValue?) throws -> Void
  ) -> Upcaster {
    let place = JSONPointer(pointer)
    let fault = place == nil ? "'\(pointer)' is not a JSON Pointer, such as /item/copies" : nil
    return Upcaster(type, .edit, fault: fault) { action in
      let values = JSONValue.object(action.data)
      guard let place, values[place] != nil || place.parent.flatMap({ values[$0] })?.isObject == true else {
        return [action]
      }
      var action = action
      try action.update(at: pointer, change)
      return [action]
    }
  }

  /// Drops the action (1→0). Its revision remains, and the state does not change.
  public static func drop(_ type: String) -> Upcaster {
    Upcaster(type, .drop) { _ in [] }
  }

  /// Replaces the action with others (1→n), in order. They are folded together as one revision.
  ///
  /// - Parameters:
  ///   - type: The old type, or a pattern such as `desk.*`.
  ///   - actions: Returns the new actions, possibly none. An error ends the reading and names the record.
  public static func replace(
    _ type: String, by actions: @escaping @Sendable (StoredAction) throws -> [StoredAction]
  ) -> Upcaster {
    Upcaster(type, .replace, lift: actions)
  }

  /// Moves the cases of a payload from the type into the values (1→1): the form in which an `ActionPayload` is recorded.
  ///
  /// `.shorten("rule.*")` changes `rule.not.always` to the type `rule` with the values `{"_0":{"not":{"_0":{"always":{}}}}}`. The
  /// action is the same in both forms. A later step then finds every such action under one type.
  ///
  /// - Parameter type: The remaining type, followed by `.*`.
  public static func shorten(_ type: String) -> Upcaster {
    let pattern = TypePattern(type)
    return Upcaster(type, .shorten, fault: pattern.isPrefix ? nil : "the type must end in '.*'") { action in
      let cases = (pattern.rest(of: action.type) ?? "").split(separator: ".", omittingEmptySubsequences: false)
      guard pattern.name != action.type else { return [action] }
      var data = action.data
      for name in cases.reversed() { data = ["_0": .object([String(name): .object(data)])] }
      return [StoredAction(type: pattern.name, data: data)]
    }
  }
}

extension JSONValue {
  fileprivate var isObject: Bool {
    if case .object = self { true } else { false }
  }
}

/// An action in its stored form: the names of its cases, and its values. Upcasters receive and return stored actions.
public struct StoredAction: Equatable, Sendable {
  /// The case path, for instance `ui.animalList.onTapDelete`.
  public var type: String
  /// The values of the innermost case: members by their labels, `_0` for the first without one.
  public var data: JSONObject

  /// Makes a stored action from its parts.
  public init(type: String, data: JSONObject = JSONObject()) {
    self.type = type
    self.data = data
  }

  /// Returns the value at a location in ``data``; `nil` if there is none.
  ///
  /// - Parameter pointer: A JSON Pointer, for instance `/item/copies`.
  /// - Throws: `JSONError` with the code `invalidPointer`.
  public func value(at pointer: String) throws -> JSONValue? {
    JSONValue.object(data)[try JSONPointer(parsing: pointer)]
  }

  /// Changes, adds or removes the value at a location in ``data``.
  ///
  /// - Parameters:
  ///   - pointer: A JSON Pointer, for instance `/item/copies`.
  ///   - change: Receives the value, or `nil` if there is none. If it leaves `nil`, the member or element is removed.
  /// - Throws: `JSONError` with the code `invalidPointer`, with `missingMember` if there is no object to add a value to, or with
  ///   `typeMismatch` if the data is not an object afterwards; the error of `change`.
  public mutating func update(at pointer: String, _ change: (inout JSONValue?) throws -> Void) throws {
    var values = JSONValue.object(data)
    try values.update(at: try JSONPointer(parsing: pointer), change)
    guard case .object(let object) = values else {
      throw JSONError(.typeMismatch, "the data of an action is an object", path: .root)
    }
    data = object
  }
}
