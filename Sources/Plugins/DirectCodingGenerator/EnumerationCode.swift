/// The generated code of an enum, as a value and as an action.
struct EnumerationCode {
  private let cases: [CodedType.Case]
  private let type: CodedType
  private let number: Int
  private let types: DirectTypes

  init(_ cases: [CodedType.Case], of type: CodedType, number: Int, in types: DirectTypes) {
    self.cases = cases
    self.type = type
    self.number = number
    self.types = types
  }

  /// The requirements of a value. Types are only named at file scope, where they cannot be hidden.
  var writing: [String] {
    TypeCode.conformance(
      type.access.modifier,
      write: ["guard writer.enter() else { return }", "switch self {"] + cases.flatMap(writeCase) + [
        "}", "writer.leave()",
      ],
      read: ["self = try read\(number)(&reader)"])
  }

  var reading: [String] {
    let readable = cases.filter { types.isMixed($0) }
    return [
      "private func read\(number)(_ reader: inout DirectReader) throws(DirectMismatch) -> \(type.name) {",
      "try reader.enter()", "defer { reader.leave() }",
    ]
      + readable.flatMap { item in
        let (begin, lines) = object(item).read("reader", "{" + JSONLiteral.string(item.name) + ":", "}")
        return ["if reader.accept(\(JSONLiteral.source(begin))) {"] + places(item) + lines + [result(item), "}"]
      } + ["throw DirectMismatch()", "}"]
  }

  var action: [String] {
    let access = type.access.modifier
    return ["extension \(type.name): DirectAction {"]
      + ["\(access)func writeType(directly writer: inout DirectWriter) {", "switch self {"]
      + cases.map(writeType) + ["}", "}", ""]
      + ["\(access)func writeData(directly writer: inout DirectWriter) {", "switch self {"]
      + cases.flatMap(writeData) + ["}", "}", ""]
      + [
        "\(access)init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {",
        "self = try action\(number)(&type, &data)", "}", "}", "",
      ] + reader
  }

  private var reader: [String] {
    [
      "private func action\(number)(",
      "  _ type: inout DirectReader, _ data: inout DirectReader",
      ") throws(DirectMismatch) -> \(type.name) {",
    ] + cases.flatMap(readAction) + ["throw DirectMismatch()", "}"]
  }
}

extension EnumerationCode {
  private func step(_ item: CodedType.Case) -> ActionSteps.Step {
    ActionSteps(types).step(item, of: type)
  }

  private func object(_ item: CodedType.Case) -> ObjectCode {
    ObjectCode(
      item.payload.enumerated().map { index, payload in
        .init(
          key: payload.key, place: "value\(index)", type: payload.type,
          isDirect: types.isDirect(payload.type.wrapped ?? payload.type))
      })
  }

  /// The case as a pattern that binds its values.
  private func pattern(_ item: CodedType.Case) -> String { reference(item, "let ") }

  private func result(_ item: CodedType.Case) -> String { "return " + reference(item, "") }

  private func reference(_ item: CodedType.Case, _ binding: String) -> String {
    let name = "." + SourceFile.escaped(item.name)
    if item.payload.isEmpty { return name }
    let parts = item.payload.enumerated().map { index, payload in label(payload) + binding + "value\(index)" }
    return name + "(" + parts.joined(separator: ", ") + ")"
  }

  private func label(_ payload: CodedType.Payload) -> String {
    payload.label.map { SourceFile.escaped($0) + ": " } ?? ""
  }

  private func places(_ item: CodedType.Case) -> [String] {
    item.payload.enumerated().map { index, payload in
      "let value\(index): \(payload.type.source(in: types.module))"
    }
  }

  private func writeCase(_ item: CodedType.Case) -> [String] {
    guard types.isMixed(item) else { return ["case .\(SourceFile.escaped(item.name)): writer.decline()"] }
    return ["case \(pattern(item)):"] + object(item).write("{" + JSONLiteral.string(item.name) + ":", "}")
  }

  private func writeType(_ item: CodedType.Case) -> String {
    switch step(item) {
    case .unknown: "case .\(SourceFile.escaped(item.name)): writer.decline()"
    case .last: "case .\(SourceFile.escaped(item.name)): writer.literal(\(JSONLiteral.source(item.name)))"
    case .onward:
      "case \(pattern(item)): writer.literal(\(JSONLiteral.source(item.name + "."))); value0.writeType(directly: &writer)"
    }
  }

  private func writeData(_ item: CodedType.Case) -> [String] {
    switch step(item) {
    case .unknown: ["case .\(SourceFile.escaped(item.name)): writer.decline()"]
    case .last: ["case \(pattern(item)):"] + object(item).write("", "")
    case .onward: ["case \(pattern(item)): value0.writeData(directly: &writer)"]
    }
  }

  private func readAction(_ item: CodedType.Case) -> [String] {
    switch step(item) {
    case .unknown: return []
    case .last:
      let (begin, lines) = object(item).read("data", "", "")
      return ["if type.acceptLast(\(JSONLiteral.source(item.name))) {"] + places(item)
        + ["try data.literal(\(JSONLiteral.source(begin)))"] + lines + [result(item), "}"]
    case .onward:
      return [
        "if type.accept(\(JSONLiteral.source(item.name + "."))) {",
        "return try .\(SourceFile.escaped(item.name))(\(label(item.payload[0])).init(type: &type, data: &data))", "}",
      ]
    }
  }
}

/// Determines how the cases of enums become parts of an action's type.
struct ActionSteps {
  enum Step {
    /// The case is the last part of the path, and its values are the data.
    case last
    /// The path continues with the only value of the case, an enum.
    case onward
    /// Only `Codable` can determine where the path ends.
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

  /// Returns the role of a case in the path of an action.
  func step(_ item: CodedType.Case, of type: CodedType) -> Step {
    guard types.isMixed(item) else { return .unknown }
    guard let payload = onlyPayload(item) else { return .last }
    guard types.isDirect(payload.wrapped ?? payload) else { return .unknown }
    guard let next = types.known(payload.wrapped ?? payload), isEnumeration(next) else { return .last }
    // The path continues with the value of an optional, if there is one, and with an enum's handwritten coding.
    guard payload.wrapped == nil, cases(of: next) != nil else { return .unknown }
    // The path of a recursive enum may be longer than the format allows.
    return reaches(type.name, from: next, []) ? .unknown : .onward
  }

  /// Returns the type with which the path of a case may continue.
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

  /// Whether a type is among the only values of another type's cases.
  private func reaches(_ name: String, from type: CodedType, _ seen: Set<String>) -> Bool {
    if type.name == name || seen.contains(type.name) { return true }
    let next = (cases(of: type) ?? []).compactMap { item in onlyPayload(item).flatMap { types.known($0) } }
    return next.contains { reaches(name, from: $0, seen.union([type.name])) }
  }
}
