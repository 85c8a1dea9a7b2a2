public import JSONCoding

/// An action as a log stores it: the names of its cases, and its values. What upcasters work on.
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
}
