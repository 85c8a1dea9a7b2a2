import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// The text of a test that folds actions again.
struct ReplayTestSource<M: Model> {
  /// The revisions of the stretch: the state before, and the last.
  let range: ClosedRange<Int>
  let start: M.State
  let actions: [RecordedAction<M.Action>]
  let end: M.State
  let expectation: ReplayTest.Expectation
  /// The condition for which the actions are enough, if some were left out.
  let minimized: Condition?
  /// The identifier of the log.
  let log: String
  let isTestable: Bool

  /// The file.
  ///
  /// - Throws: ``TimeTravelError/Code/notRepresentable`` when the model has no name that a file could use, or a state does not come
  ///   back from its own coding; what the coding throws.
  func text() throws -> String {
    let (module, model) = try name()
    let name = "\(model.split(separator: ".").last ?? "Model")Actions\(range.lowerBound + 1)To\(range.upperBound)"
    return [
      heading, imports(module), "/// \(summary)", "@Suite struct \(name) {",
      try constants(), try test(model), fold, "}", "",
    ].joined(separator: "\n")
  }

  private var summary: String {
    minimized.map { condition in
      "The actions among \(range.lowerBound + 1)…\(range.upperBound) that are enough for `\(Self.comment(condition.text))`."
    } ?? "What the actions \(range.lowerBound + 1)…\(range.upperBound) of the log do."
  }

  private var heading: String {
    "// Actions of a log of the model '\(Self.comment(M.name))', schema \(M.schema): log \(Self.comment(log)).\n"
  }

  private func imports(_ module: String) -> String {
    let engine = ["ActionLog", "EventSourcing", "JSONCoding", "Testing", "TimeTravel"]
    return (engine + (engine.contains(module) ? [] : [module])).sorted().map { name in
      (name == module && isTestable ? "@testable import " : "import ") + name + "\n"
    }.joined()
  }

  private func constants() throws -> String {
    var text = "  /// The state that the actions meet: revision \(range.lowerBound).\n"
    text += "  private let start = \(try literal(checked(start)))\n\n"
    text += "  /// Types and values, as the log has them.\n"
    text += "  private let actions: [(type: String, data: String)] = [\n"
    for recorded in actions {
      for form in try Self.forms(recorded) {
        let data = SwiftLiteral.line(String(decoding: form.data, as: UTF8.self))
        text += "    (\(SwiftLiteral.line(form.type)), \(data)),  // \(recorded.seq)\n"
      }
    }
    return text + "  ]\n"
  }

  private func test(_ model: String) throws -> String {
    switch expectation {
    case .recordedState:
      return """
          @Test func leadToTheStateThatWasRecorded() throws {
            let expected = \(try literal(end, indentation: "      "))
            let state = try fold(\(model).self)
            let difference = try StateDiff(from: StateTree(parsing: expected.utf8), to: StateTree(encoding: state))
            #expect(difference.isEmpty, "\\(difference)")
          }

        """
    case .condition(let condition):
      return """
          @Test func leadToAStateThatIsRight() throws {
            let condition = try TimeTravel.Condition(parsing: \(SwiftLiteral.line(condition.text)))
            let state = try fold(\(model).self)
            let tree = try StateTree(encoding: state)
            #expect(try condition.holds(in: state), "\\(tree)")
          }

        """
    }
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

  /// A state as JSON.
  private func literal(_ state: M.State, indentation: String = "    ") throws -> String {
    SwiftLiteral.lines(try StateTree(encoding: state).rendered(), indentation: indentation)
  }

  /// A state that reads back from its JSON.
  private func checked(_ state: M.State) throws -> M.State {
    let bytes = try StrictJSONEncoder(form: .canonical).encode(state)
    let decoded = try StrictJSONDecoder().decode(M.State.self, from: bytes)
    // `==` says nothing of a state with `Double.nan` in it: it denies also that two readings of the same bytes are equal.
    let isComparable = try decoded == StrictJSONDecoder().decode(M.State.self, from: bytes)
    guard decoded == state || !isComparable else {
      throw TimeTravelError(
        .notRepresentable,
        "the state of '\(M.name)' at revision \(range.lowerBound) does not come back from its own coding, so no test can begin "
          + "with it")
    }
    return state
  }

  /// What the log has of an action, in the present schema.
  private static func forms(_ recorded: RecordedAction<M.Action>) throws -> [ActionForm] {
    guard recorded.record.schema < M.schema else {
      return recorded.actions.isEmpty ? [] : [ActionForm(type: recorded.record.type, data: recorded.record.data)]
    }
    return try recorded.actions.map { action in try ActionCoding.encode(action) }
  }

  /// The model's module, and its name within it.
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

  /// A text as it can stand in a comment.
  private static func comment(_ text: String) -> String { TerminalText.escaping(text) }
}

/// Texts as string literals of Swift.
enum SwiftLiteral {
  /// A literal in one line.
  static func line(_ text: String) -> String {
    let signs = signs(for: text)
    return "\(signs)\"\(escaped(text, signs))\"\(signs)"
  }

  /// A literal of several lines.
  ///
  /// - Parameters:
  ///   - text: Lines that each end with a line feed; the last line feed is no part of what the literal holds.
  ///   - indentation: What stands before each line of the literal but the first.
  static func lines(_ text: String, indentation: String) -> String {
    let signs = signs(for: text)
    var literal = "\(signs)\"\"\"\n"
    for line in text.split(separator: "\n") { literal += "\(indentation)\(escaped(String(line), signs))\n" }
    return literal + "\(indentation)\"\"\"\(signs)"
  }

  /// One more number sign than the text has in a row: then no quote and no backslash in it ends or escapes anything.
  private static func signs(for text: String) -> String {
    var (longest, length) = (0, 0)
    for byte in text.utf8 {
      length = byte == UInt8(ascii: "#") ? length + 1 : 0
      longest = max(longest, length)
    }
    return String(repeating: "#", count: longest + 1)
  }

  /// The text with escapes for what an editor would obey, hide or turn around.
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
