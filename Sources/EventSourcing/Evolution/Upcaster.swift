public import JSONCoding

/// Lifts the stored actions of one type to the next schema, before anything is decoded.
///
/// One action becomes one, several or none. Stored bytes are never rewritten; lifting happens at each reading, so an
/// upcaster is part of the reducer: it uses its argument and nothing else, no clock, no random value, no file.
///
/// ```swift
/// SchemaStep(from: 1, to: 2, [
///   .rename("didTapAdd", to: "didTapAddButton"),
///   .edit("didAddAnimal") { data in data["diet"] = "Unknown" },
///   .drop("didHover"),
/// ])
/// ```
public struct Upcaster: Sendable {
  /// What an upcaster makes of an action, as reports say it.
  package enum Kind: Equatable, Sendable {
    case rename(to: String)
    case edit
    case drop
    case replace
  }

  /// The type of the actions that it lifts, whole: `ui.animalList.onTapDelete`, not a part of it.
  public let type: String
  package let kind: Kind
  let lift: @Sendable (StoredAction) throws -> [StoredAction]

  private init(_ type: String, _ kind: Kind, lift: @escaping @Sendable (StoredAction) throws -> [StoredAction]) {
    self.type = type
    self.kind = kind
    self.lift = lift
  }

  /// The action has another name now; its values are the same (1→1).
  ///
  /// - Parameters:
  ///   - type: The type as it was.
  ///   - newType: The type as it is.
  public static func rename(_ type: String, to newType: String) -> Upcaster {
    Upcaster(type, .rename(to: newType)) { action in [StoredAction(type: newType, data: action.data)] }
  }

  /// The action has other values now, and the same name (1→1).
  ///
  /// - Parameters:
  ///   - type: The type.
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

  /// The action means nothing any more (1→0). Its revision stays, with the state of the one before.
  ///
  /// - Parameter type: The type.
  public static func drop(_ type: String) -> Upcaster {
    Upcaster(type, .drop) { _ in [] }
  }

  /// The action became others (1→n), in order. They are folded together as the one revision that the record has.
  ///
  /// - Parameters:
  ///   - type: The type as it was.
  ///   - actions: Makes the new actions of the old one, none at all included. An error ends the reading and names the
  ///     record.
  public static func replace(
    _ type: String, by actions: @escaping @Sendable (StoredAction) throws -> [StoredAction]
  ) -> Upcaster {
    Upcaster(type, .replace, lift: actions)
  }
}
