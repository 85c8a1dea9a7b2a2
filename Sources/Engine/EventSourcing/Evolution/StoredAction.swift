public import JSONCoding

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
