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

  /// The requirements of a value. Types are named at file scope only, where nothing hides them.
  var writing: [String] {
    TypeCode.conformance(
      type.access.modifier,
      write: ["guard writer.enter() else { return }", "switch self {"] + cases.flatMap(writeCase) + [
        "}", "writer.leave()",
      ],
      read: ["self = try read\(number)(&reader)"])
  }

  /// The function that reads a value.
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

  /// The conformance to the protocol of actions.
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

  private func pattern(_ item: CodedType.Case) -> String {
    let name = "." + SourceFile.escaped(item.name)
    if item.payload.isEmpty { return name }
    let parts = item.payload.enumerated().map { index, payload in label(payload) + "let value\(index)" }
    return name + "(" + parts.joined(separator: ", ") + ")"
  }

  private func result(_ item: CodedType.Case) -> String {
    let name = "return ." + SourceFile.escaped(item.name)
    if item.payload.isEmpty { return name }
    let parts = item.payload.enumerated().map { index, payload in label(payload) + "value\(index)" }
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
        "return .\(SourceFile.escaped(item.name))(\(label(item.payload[0])).init(type: &type, data: &data))", "}",
      ].map { $0.replacing("return .", with: "return try .") }
    }
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    hasPrefix(text) ? other + dropFirst(text.count) : self
  }
}
