import ActionLogTool
import EventSourcing
import JSONCoding
import TestSupport

/// A model whose states have what is hard to show: arrays whose elements move, names that mean something to a script, numbers that
/// a script would round, and texts that would like to be markup.
enum Notebook: Model {
  struct State: Codable, Equatable, Sendable {
    var notes: [String] = []
    var table: [String: [Number]] = [:]
    var sum: UInt64 = 18_446_744_073_709_000_000
    var isOpen = false
  }

  struct Number: Codable, Equatable, Sendable {
    var value: Double
    var whole: Int
  }

  enum Action: Codable, Equatable, Sendable {
    case insert(text: String, place: Int)
    case remove(place: Int)
    case set(name: String, value: Double, whole: Int)
    case push(name: String, value: Double)
    case drop(name: String)
    case toggle
  }

  static let name = "notebook"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .insert(let text, let place): state.notes.insert(text, at: min(max(0, place), state.notes.count))
    case .remove(let place): if state.notes.indices.contains(place) { state.notes.remove(at: place) }
    case .set(let name, let value, let whole): state.table[name] = [Number(value: value, whole: whole)]
    case .push(let name, let value):
      state.table[name, default: []].insert(Number(value: value, whole: -1), at: 0)
    case .drop(let name): state.table[name] = nil
    case .toggle:
      state.isOpen.toggle()
      state.sum &+= 1
    }
  }

  /// Texts that a page must show and not interpret.
  static let texts = [
    "</script><script>window.hacked = 1</script>", "<!-- <script>", "<img src=x onerror='window.hacked = 1'>",
    "a\u{202E}b\u{2066}c", "\u{0}\u{1B}[31m\u{7F}\u{9B}", "line\u{2028}end\u{2029}\n\ttab", "&amp; \" ' ` ${1}",
    "e\u{301}é",
    "👩‍👩‍👧", "", "\\u003c/script>\\", "]]>",
  ]
  static let names = [
    "__proto__", "constructor", "toString", "10", "9", "a/b~c", "", "</script>", "\u{202E}x", "😀", "\u{FFFD}", "length",
  ]

  /// Input lines that insert each text at the beginning, with an actor of the same name.
  static var insertions: [String] {
    texts.map { text in
      let text = JSONValue.string(text)
      return #"{"type":"insert","data":{"text":\#(text),"place":0},"meta":{"actor":\#(text)}}"# + "\n"
    }
  }

  /// Lines of input that give each name a number that a double cannot hold.
  static var settings: [String] {
    names.map { name in
      let name = JSONValue.string(name)
      return #"{"type":"set","data":{"name":\#(name),"value":0.1,"whole":9007199254740993}}"# + "\n"
    }
  }

  /// Made-up actions.
  static func actions(seed: UInt64, count: Int) -> [Action] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let name = names.randomElement(using: &generator) ?? ""
      let value = Double(Int.random(in: -3...3, using: &generator)) * 0.1
      switch Int.random(in: 0..<10, using: &generator) {
      case 0...2:
        return .insert(
          text: texts.randomElement(using: &generator) ?? "", place: Int.random(in: 0...8, using: &generator))
      case 3: return .remove(place: Int.random(in: 0...8, using: &generator))
      case 4, 5: return .set(name: name, value: value, whole: .max - Int.random(in: 0...2, using: &generator))
      case 6, 7: return .push(name: name, value: value)
      case 8: return .drop(name: name)
      default: return .toggle
      }
    }
  }
}

extension ActionLogTool {
  /// A tool for notebooks.
  static let notebooks = ActionLogTool(
    version: "1.2.3",
    models: [.model(Notebook.self) { seed, count in Notebook.actions(seed: seed, count: count) }])
}
