/// How the cases of enums become parts of an action's type.
struct ActionSteps {
  enum Step {
    /// The case is the last part of the path, and its values are the data.
    case last
    /// The path goes on with the case's only value, an enum.
    case onward
    /// Only `Codable` can tell where the path ends.
    case unknown
  }

  private let types: DirectTypes

  init(_ types: DirectTypes) {
    self.types = types
  }

  /// Whether a type is an enum that can be written as an action.
  func isAction(_ type: CodedType) -> Bool {
    cases(of: type)?.contains { if case .unknown = step($0, of: type) { false } else { true } } ?? false
  }

  private func cases(of type: CodedType) -> [CodedType.Case]? {
    guard type.reason == nil, case .enumeration(let cases) = type.shape else { return nil }
    return cases
  }

  /// What a case is in the path of an action.
  func step(_ item: CodedType.Case, of type: CodedType) -> Step {
    guard types.isMixed(item) else { return .unknown }
    guard let payload = onlyPayload(item) else { return .last }
    guard types.isDirect(payload.wrapped ?? payload) else { return .unknown }
    guard let next = types.known(payload.wrapped ?? payload), isEnumeration(next) else { return .last }
    // The path continues with the value of an optional, if there is one, and with what hand-written coding makes of an enum.
    guard payload.wrapped == nil, cases(of: next) != nil else { return .unknown }
    // The path of a recursive enum may be longer than the format allows.
    return reaches(type.name, from: next, []) ? .unknown : .onward
  }

  /// The type with which the path of a case may continue.
  private func onlyPayload(_ item: CodedType.Case) -> TypeName? {
    guard item.payload.count == 1, item.payload[0].key == "_0" else { return nil }
    let type = item.payload[0].type
    return types.known(type.wrapped ?? type)?.isActionPayload == true ? nil : type
  }

  private func isEnumeration(_ type: CodedType) -> Bool {
    switch type.shape {
    case .enumeration, .handWritten(isEnum: true): true
    default: false
    }
  }

  /// Whether a type is found among the only values of the cases of another one.
  private func reaches(_ name: String, from type: CodedType, _ seen: Set<String>) -> Bool {
    if type.name == name || seen.contains(type.name) { return true }
    let next = (cases(of: type) ?? []).compactMap { item in onlyPayload(item).flatMap { types.known($0) } }
    return next.contains { reaches(name, from: $0, seen.union([type.name])) }
  }
}
