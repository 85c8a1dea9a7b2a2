/// The generated code of an enum, as a value and as an action.
struct EnumerationCode {
  let cases: [CodedType.Case]
  let type: CodedType
  let number: Int
  let types: DirectTypes

  /// Adds the requirements of a value. Types are only named at file scope, where they cannot be hidden.
  func addWriting(to source: inout SourceText) {
    var write = ["guard writer.enter() else { return }", "switch self {"]
    for item in cases { write += writeCase(item) }
    write += ["}", "writer.leave()"]
    source.addConformance(type, write: write, read: ["self = try read\(number)(&reader)"])
  }

  func addReading(to source: inout SourceText) {
    source.add("private func read\(number)(_ reader: inout DirectReader) throws(DirectMismatch) -> \(type.name) {")
    source.add("try reader.enter()")
    source.add("defer { reader.leave() }")
    for item in cases where types.isMixed(item) {
      let (begin, members) = object(item).read("reader", "{" + JSONLiteral.string(item.name) + ":", "}")
      source.add("if reader.accept(\(JSONLiteral.source(begin))) {")
      addValue(of: item, readBy: members, to: &source)
    }
    source.add("throw DirectMismatch()")
    source.add("}")
  }

  func addAction(to source: inout SourceText) {
    let access = type.access.modifier
    source.add("extension \(type.name): DirectAction {")
    source.add("\(access)func writeType(directly writer: inout DirectWriter) {")
    source.add("switch self {")
    for item in cases { source.add(writeType(item)) }
    source.add(["}", "}", ""])
    source.add("\(access)func writeData(directly writer: inout DirectWriter) {")
    source.add("switch self {")
    for item in cases { source.add(writeData(item)) }
    source.add(["}", "}", ""])
    source.add("\(access)init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {")
    source.add("self = try action\(number)(&type, &data)")
    source.add(["}", "}", ""])
    source.add("private func action\(number)(")
    source.add("  _ type: inout DirectReader, _ data: inout DirectReader")
    source.add(") throws(DirectMismatch) -> \(type.name) {")
    for item in cases { addActionReading(of: item, to: &source) }
    source.add("throw DirectMismatch()")
    source.add("}")
  }
}

extension EnumerationCode {
  private func step(_ item: CodedType.Case) -> ActionSteps.Step {
    ActionSteps(types: types).step(item, of: type)
  }

  private func object(_ item: CodedType.Case) -> ObjectCode {
    ObjectCode(
      members: item.payload.enumerated().map { index, payload in
        .init(
          key: payload.key, place: "value\(index)", type: payload.type,
          isDirect: types.isDirect(payload.type.wrapped ?? payload.type))
      })
  }

  /// The case as a pattern that binds its values.
  private func pattern(_ item: CodedType.Case) -> String { reference(item, "let ") }

  private func reference(_ item: CodedType.Case, _ binding: String) -> String {
    let name = "." + SourceFile.escaped(item.name)
    if item.payload.isEmpty { return name }
    let parts = item.payload.enumerated().map { index, payload in label(payload) + binding + "value\(index)" }
    return name + "(" + parts.joined(separator: ", ") + ")"
  }

  private func label(_ payload: CodedType.Payload) -> String {
    payload.label.map { SourceFile.escaped($0) + ": " } ?? ""
  }

  /// Adds the rest of a branch that reads a case: its values, and the case with them.
  private func addValue(of item: CodedType.Case, readBy lines: [String], to source: inout SourceText) {
    for (index, payload) in item.payload.enumerated() {
      source.add("let value\(index): \(payload.type.source(in: types.module))")
    }
    source.add(lines)
    source.add("return " + reference(item, ""))
    source.add("}")
  }

  private func writeCase(_ item: CodedType.Case) -> [String] {
    guard types.isMixed(item) else { return [decline(item)] }
    return ["case \(pattern(item)):"] + object(item).write("{" + JSONLiteral.string(item.name) + ":", "}")
  }

  private func writeType(_ item: CodedType.Case) -> String {
    switch step(item) {
    case .unknown: decline(item)
    case .last: "case .\(SourceFile.escaped(item.name)): writer.literal(\(JSONLiteral.source(item.name)))"
    case .onward:
      "case \(pattern(item)): writer.literal(\(JSONLiteral.source(item.name + "."))); value0.writeType(directly: &writer)"
    }
  }

  private func writeData(_ item: CodedType.Case) -> [String] {
    switch step(item) {
    case .unknown: [decline(item)]
    case .last: ["case \(pattern(item)):"] + object(item).write("", "")
    case .onward: ["case \(pattern(item)): value0.writeData(directly: &writer)"]
    }
  }

  private func decline(_ item: CodedType.Case) -> String {
    "case .\(SourceFile.escaped(item.name)): writer.decline()"
  }

  private func addActionReading(of item: CodedType.Case, to source: inout SourceText) {
    switch step(item) {
    case .unknown: break
    case .last:
      let (begin, members) = object(item).read("data", "", "")
      source.add("if type.acceptLast(\(JSONLiteral.source(item.name))) {")
      addValue(of: item, readBy: ["try data.literal(\(JSONLiteral.source(begin)))"] + members, to: &source)
    case .onward:
      source.add("if type.accept(\(JSONLiteral.source(item.name + "."))) {")
      source.add(
        "return try .\(SourceFile.escaped(item.name))(\(label(item.payload[0])).init(type: &type, data: &data))")
      source.add("}")
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

  let types: DirectTypes

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
