public import JSONCoding

/// Lifts the stored actions of one type, or of all types that begin alike, to the next schema, before they are decoded.
///
/// One action becomes one, several or none. Stored bytes are never rewritten; lifting happens at each reading, so an
/// upcaster is part of the reducer: it uses its argument and nothing else, no clock, no random value, no file.
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
/// A type that ends in `.*` stands for many: `desk.*` is the type `desk` and every type that begins with `desk.`. A type has one
/// upcaster in a step: that of its whole name, otherwise that of the longest beginning.
public struct Upcaster: Sendable {
  /// The change that an upcaster makes, as reports name it.
  package enum Kind: Equatable, Sendable {
    case rename(to: String)
    case edit
    case drop
    case replace
    case shorten
  }

  /// The type of the actions that it lifts: whole, such as `ui.animalList.onTapDelete`, or a beginning, such as `ui.animalList.*`.
  public let type: String
  package let kind: Kind
  let pattern: TypePattern
  /// What is wrong with its arguments; `nil` if nothing is.
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

  /// Gives the action another type; its values are the same (1→1).
  ///
  /// - Parameters:
  ///   - type: The type as it was. If it ends in `.*`, only the beginning changes: `desk.*` to `counter.*` makes `counter.onTap` of
  ///     `desk.onTap`.
  ///   - newType: The type as it is; it ends in `.*` if the other one does.
  public static func rename(_ type: String, to newType: String) -> Upcaster {
    let (old, new) = (TypePattern(type), TypePattern(newType))
    let fault = old.isPrefix == new.isPrefix ? new.fault : "either both types end in '.*' or none does"
    return Upcaster(type, .rename(to: newType), fault: fault) { action in
      [StoredAction(type: old.renamed(action.type, to: new), data: action.data)]
    }
  }

  /// Changes the values of the action; its type is the same (1→1).
  ///
  /// - Parameters:
  ///   - type: The type, or a beginning such as `desk.*`.
  ///   - change: Makes the new values of the old. An error ends the reading and names the record.
  public static func edit(
    _ type: String, _ change: @escaping @Sendable (inout JSONObject) throws -> Void
  ) -> Upcaster {
    Upcaster(type, .edit) { action in
      var action = action
      try change(&action.data)
      return [action]
    }
  }

  /// Changes one value of the action; its type is the same (1→1).
  ///
  /// ```swift
  /// .edit("desk.onTapLend", at: "/item/copies") { copies in copies = copies ?? 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type, or a beginning such as `desk.*`.
  ///   - pointer: The place in the values, as a JSON Pointer. One that is malformed is
  ///     ``EventSourcingError/Code/brokenEvolution`` when the log is opened.
  ///   - change: Receives the value, or `nil` if the object lacks the member. If it leaves `nil`, the member or element is removed. It is
  ///     not called for an action that has no object or element to change. An error ends the reading and names the record.
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

  /// Drops the action (1→0). Its revision stays, with the state of the one before.
  ///
  /// - Parameter type: The type, or a beginning such as `desk.*`.
  public static func drop(_ type: String) -> Upcaster {
    Upcaster(type, .drop) { _ in [] }
  }

  /// Replaces the action by others (1→n), in order. They are folded together as the one revision that the record has.
  ///
  /// - Parameters:
  ///   - type: The type as it was, or a beginning such as `desk.*`.
  ///   - actions: Makes the new actions of the old one, none at all included. An error ends the reading and names the
  ///     record.
  public static func replace(
    _ type: String, by actions: @escaping @Sendable (StoredAction) throws -> [StoredAction]
  ) -> Upcaster {
    Upcaster(type, .replace, lift: actions)
  }

  /// Moves the cases of a payload from the type into the values (1→1): the form that an `ActionPayload` is recorded in.
  ///
  /// `.shorten("rule.*")` makes the type `rule` and the values `{"_0":{"not":{"_0":{"always":{}}}}}` of `rule.not.always`. The
  /// action is the same in both forms. A later step then finds every such action under one type.
  ///
  /// - Parameter type: The type that remains, with `.*` after it.
  public static func shorten(_ type: String) -> Upcaster {
    let pattern = TypePattern(type)
    return Upcaster(type, .shorten, fault: pattern.isPrefix ? nil : "the type ends in '.*'") { action in
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

/// An action as a log stores it: the names of its cases, and its values. Upcasters read and return stored actions.
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

  /// The value at a place in ``data``, or `nil` if there is none.
  ///
  /// - Parameter pointer: A JSON Pointer, for instance `/item/copies`.
  /// - Throws: `JSONError` with the code `invalidPointer`.
  public func value(at pointer: String) throws -> JSONValue? {
    JSONValue.object(data)[try JSONPointer(parsing: pointer)]
  }

  /// Changes, adds or removes the value at a place in ``data``.
  ///
  /// - Parameters:
  ///   - pointer: A JSON Pointer, for instance `/item/copies`.
  ///   - change: Receives the value, or `nil` if there is none. If it leaves `nil`, the member or element is removed.
  /// - Throws: `JSONError` with the code `invalidPointer`, with `missingMember` if no object holds the place that a value is added at,
  ///   or with `typeMismatch` if the data is no object afterwards; the error of `change`.
  public mutating func update(at pointer: String, _ change: (inout JSONValue?) throws -> Void) throws {
    var values = JSONValue.object(data)
    try values.update(at: try JSONPointer(parsing: pointer), change)
    guard case .object(let object) = values else {
      throw JSONError(.typeMismatch, "the data of an action is an object", path: .root)
    }
    data = object
  }
}
