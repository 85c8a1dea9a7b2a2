/// An action as the log stores it: a case path and a JSON object.
public struct ActionForm: Sendable, Hashable {
  /// The names of the nested enum cases, with `.` between them, for instance `ui.animalList.onAppear`.
  public let type: String
  /// The values of the innermost case: a JSON object.
  public let data: [UInt8]

  /// Whether the bytes come from the module's own encoder.
  let isEncoded: Bool

  /// Makes a form from its parts, for instance in an upcaster.
  public init(type: String, data: [UInt8]) {
    self.type = type
    self.data = data
    isEncoded = false
  }

  init(encodedType: String, data: [UInt8]) {
    type = encodedType
    self.data = data
    isEncoded = true
  }

  /// Whether two forms are the same type and bytes.
  public static func == (first: ActionForm, second: ActionForm) -> Bool {
    first.type == second.type && first.data == second.data
  }

  /// Adds type and bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(data)
  }
}
