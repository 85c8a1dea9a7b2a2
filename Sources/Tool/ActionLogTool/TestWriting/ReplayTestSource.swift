import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// Writes the text of a test that folds actions.
struct ReplayTestSource<M: Model> {
  /// The revision of the first state, up to that of the last action.
  let range: ClosedRange<Int>
  let start: M.State
  let actions: [RecordedAction<M.Action>]
  let end: M.State
  /// The condition at the end; `nil` for the recorded state.
  let expected: Condition?
  /// The condition that the remaining actions suffice for, if some were removed.
  let minimized: Condition?
  let log: String
  let isTestable: Bool

  /// Returns the text of the file.
  ///
  /// - Throws: ``TimeTravelError/Code/notRepresentable`` if a file cannot name the model, or a state does not decode as
  ///   itself; the errors of the coding.
  func text() throws -> String {
    let (module, model) = try name()
    return [
      heading, try imports(of: module), "/// \(summary)", "@Suite struct \(try suite()) {",
      try constants(), try test(model), fold, "}", "",
    ].joined(separator: "\n")
  }

  /// Returns the name of the suite.
  func suite() throws -> String {
    "\(try name().model.split(separator: ".").last ?? "Model")Actions\(range.lowerBound + 1)To\(range.upperBound)"
  }

  /// Returns the names of the modules that it imports, in order.
  func modules() throws -> [String] {
    Set(["ActionLog", "EventSourcing", "JSONCoding", "Testing", "TimeTravel", try name().module]).sorted()
  }

  private var summary: String {
    minimized.map { condition in
      "Folds those of the actions \(range.lowerBound + 1)…\(range.upperBound) that suffice for `\(Self.comment(condition.text))`."
    } ?? "Folds the actions \(range.lowerBound + 1)…\(range.upperBound) of the log."
  }

  private var heading: String {
    "// Actions of a log of the model '\(Self.comment(M.name))', schema \(M.schema): log \(Self.comment(log)).\n"
  }

  private func imports(of module: String) throws -> String {
    try modules().map { name in
      (name == module && isTestable ? "@testable import " : "import ") + name + "\n"
    }.joined()
  }

  private func constants() throws -> String {
    var text = "  /// The state at revision \(range.lowerBound), before the actions.\n"
    text += "  private let start = \(try literal(checked(start)))\n\n"
    text += "  /// The types and data of the actions.\n"
    text += "  private let actions: [(type: String, data: String)] = [\n"
    for recorded in actions {
      for form in try Self.forms(recorded) {
        let data = SwiftLiteral.line(String(decoding: form.data, as: UTF8.self))
        text += "    (\(SwiftLiteral.line(form.type)), \(data)),  // \(recorded.revision)\n"
      }
    }
    return text + "  ]\n"
  }

  private func test(_ model: String) throws -> String {
    guard let expected else {
      return """
          @Test func actionsLeadToTheRecordedState() throws {
            let expected = \(try literal(end, indentation: "      "))
            let state = try fold(\(model).self)
            let difference = try StateDiff(from: StateTree(parsing: expected.utf8), to: StateTree(encoding: state))
            #expect(difference.isEmpty, "\\(difference)")
          }

        """
    }
    return """
        @Test func conditionHoldsAfterTheActions() throws {
          let condition = try TimeTravel.Condition(parsing: \(SwiftLiteral.line(expected.text)))
          let state = try fold(\(model).self)
          let tree = try StateTree(encoding: state)
          #expect(try condition.holds(in: state), "\\(tree)")
        }

      """
  }

  private var fold: String {
    """
      private func fold<M: EventSourcing.Model>(_ model: M.Type) throws -> M.State {
        var state = try StrictJSONDecoder().decode(M.State.self, from: Array(start.utf8))
        for (type, data) in actions {
          try M.reduce(into: &state, action: ActionCoding.decode(M.Action.self, type: type, data: Array(data.utf8)))
        }
        return state
      }
    """
  }

  private func literal(_ state: M.State, indentation: String = "    ") throws -> String {
    SwiftLiteral.lines(try StateTree(encoding: state).rendered(), indentation: indentation)
  }

  /// Returns the state if it decodes as itself.
  private func checked(_ state: M.State) throws -> M.State {
    let bytes = try StrictJSONEncoder(form: .canonical).encode(state)
    let decoded = try StrictJSONDecoder().decode(M.State.self, from: bytes)
    // A state with `Double.nan` is never equal to itself, so two decodings of the same bytes are compared.
    let isComparable = try decoded == StrictJSONDecoder().decode(M.State.self, from: bytes)
    guard decoded == state || !isComparable else {
      throw TimeTravelError(
        .notRepresentable,
        "the state of '\(M.name)' at revision \(range.lowerBound) does not come back from its own coding, so no test can begin "
          + "with it")
    }
    return state
  }

  /// The actions of a record in the current schema.
  private static func forms(_ recorded: RecordedAction<M.Action>) throws -> [ActionForm] {
    guard recorded.record.schema < M.schema else {
      return recorded.actions.isEmpty ? [] : [ActionForm(type: recorded.record.type, data: recorded.record.data)]
    }
    return try recorded.actions.map { action in try ActionCoding.encode(action) }
  }

  /// The names of the model's module and of the model in it.
  private func name() throws(TimeTravelError) -> (module: String, model: String) {
    let name = String(reflecting: M.self)
    let parts = name.split(separator: ".", maxSplits: 1)
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar == "." || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    guard parts.count == 2, isPlain else {
      throw TimeTravelError(
        .notRepresentable,
        "the model '\(M.name)' is the type \(name), which no other file can name: make it a type of a module")
    }
    return (String(parts[0]), String(parts[1]))
  }

  private static func comment(_ text: String) -> String { TerminalText.escaping(text) }
}

/// Swift string literals.
enum SwiftLiteral {
  static func line(_ text: String) -> String {
    let signs = signs(for: text)
    return "\(signs)\"\(escaped(text, signs))\"\(signs)"
  }

  /// A literal on several lines.
  static func lines(_ text: String, indentation: String) -> String {
    let signs = signs(for: text)
    var literal = "\(signs)\"\"\"\n"
    for line in text.split(separator: "\n") { literal += "\(indentation)\(escaped(String(line), signs))\n" }
    return literal + "\(indentation)\"\"\"\(signs)"
  }

  /// One more number sign than the text has in a row, so that no quote or backslash in it has an effect.
  private static func signs(for text: String) -> String {
    var (longest, length) = (0, 0)
    for byte in text.utf8 {
      length = byte == UInt8(ascii: "#") ? length + 1 : 0
      longest = max(longest, length)
    }
    return String(repeating: "#", count: longest + 1)
  }

  /// The text with escapes for control characters.
  private static func escaped(_ text: String, _ signs: String) -> String {
    guard TerminalText.escaping(text) != text else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      let character = String(Character(scalar))
      result +=
        TerminalText.escaping(character) == character ? character : "\\\(signs)u{\(String(scalar.value, radix: 16))}"
    }
    return result
  }
}
