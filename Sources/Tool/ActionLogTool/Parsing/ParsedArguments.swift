import ActionLog
import ActionLogMaintenance
import JSONCoding

/// The arguments of one command, checked against its row of the table.
package struct ParsedArguments: Sendable {
  package internal(set) var positionals: [String] = []
  /// The words after `--`, for a command that runs another one.
  package internal(set) var trailing: [String] = []
  private var values: [String: [String]] = [:]
  /// The letters of the options that were given by them.
  private var letters: [String: Character] = [:]

  init() {}

  /// The arguments of a command with `--json` on one log. To a command, `-` means paths on standard input.
  init(jsonOf path: String) {
    positionals = [path == "-" ? "./-" : path]
    set(.json)
  }

  /// Adds an option.
  mutating func add(_ option: CommandOption, value: String, as letter: Character? = nil) throws(ToolFailure) {
    letters[option.name] = letter
    if values[option.name] != nil, option.value != nil, !option.isRepeatable {
      throw .usage("\(spelling(of: option)) is given twice")
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw .usage(
        "\(spelling(of: option)) takes one of \(option.choices.joined(separator: ", ")), not '\(value)'",
        advice: Suggestion.sentence(for: value, among: option.choices)
      )
    }
    values[option.name, default: []].append(value)
  }

  /// Replaces the values of an option by that of a JSON member: `null` and `false` remove the option.
  mutating func replace(_ option: CommandOption, with value: JSONValue) throws(ToolFailure) {
    values[option.name] = nil
    switch value {
    case .null: return
    case .bool(false) where option.value == nil: return
    case .bool(true) where option.value == nil: set(option)
    case .string(let text) where option.value != nil: try add(option, value: text)
    case .number where option.value != nil: try add(option, value: "\(value)")
    case .array(let elements) where option.isRepeatable && option.value != nil:
      for element in elements {
        guard case .string(let text) = element else {
          throw .usage("\"\(option.name)\" takes texts, not \(element)")
        }
        try add(option, value: text)
      }
    default:
      let expected = option.value == nil ? "true or false" : "a text or a number"
      throw .usage("\"\(option.name)\" takes \(expected), not \(value)")
    }
  }

  func checkRules(of command: Command) throws(ToolFailure) {
    for rule in command.rules {
      switch rule {
      case .oneOf(let options):
        let given = options.filter(has)
        if given.count > 1 { throw Self.exclusive(given[0], given[1]) }
      case .excludes(let option, let others):
        if has(option), let other = others.first(where: has) { throw Self.exclusive(option, other) }
      case .needs(let options, let bases):
        guard !bases.contains(where: has), let option = options.first(where: has) else { continue }
        var text: MessageText = "\(option: option) needs \(option: bases[0], Self.word(bases[0].value))"
        for base in bases.dropFirst() { text = "\(text) or \(option: base, Self.word(base.value))" }
        throw .usage(text)
      case .needsValue(let options, let base, let value):
        guard self.value(of: base) != value, let option = options.first(where: has) else { continue }
        throw .usage("\(option: option) needs \(option: base, Self.word(value))")
      case .requires(let option):
        guard !has(option) else { continue }
        throw .usage("'\(command.name)' needs \(option: option, Self.word(option.value))")
      }
    }
  }

  private static func exclusive(_ option: CommandOption, _ other: CommandOption) -> ToolFailure {
    .usage("\(option: option) and \(option: other) cannot be combined", advice: "Give one of them.")
  }

  private static func word(_ value: String?) -> MessageText.Operation.Word? { value.map { value in "\(value)" } }

  mutating func replaceFirstPositional(with word: String) {
    positionals[0] = word
  }

  mutating func set(_ flag: CommandOption) { values[flag.name] = [""] }

  /// Sets the value of an option without a check.
  private mutating func set(_ option: CommandOption, to value: String) { values[option.name] = [value] }

  /// An option as it was given, for an error.
  private func spelling(of option: CommandOption) -> MessageText {
    letters[option.name].map { letter in "-\(letter)" } ?? "\(option: option)"
  }

  package func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// The value of an option that may be given once.
  package func value(of option: CommandOption) -> String? { values[option.name]?.last }

  /// The values of an option that may be repeated, in order.
  package func values(of option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// The positional argument at an index; `nil` if it is optional and missing.
  package func positional(_ index: Int) -> String? {
    index < positionals.count ? positionals[index] : nil
  }

  package func integer(of option: CommandOption, in range: ClosedRange<Int>) throws(ToolFailure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let expected =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound)…\(range.upperBound)"
      throw .usage("\(spelling(of: option)) takes a whole number (\(expected)), not '\(text)'")
    }
    return number
  }
}

extension ParsedArguments {
  /// The global flags in words that may not parse, so that a usage error is printed in the requested form.
  static func lenient(_ words: [String]) -> ParsedArguments {
    var arguments = ParsedArguments()
    let options = words.prefix { word in word != "--" }
    for option in [CommandOption.json, .quiet, .noColor] where options.contains("--" + option.name) {
      arguments.set(option)
    }
    let color =
      zip(options, options.dropFirst()).first { word, _ in word == "--color" }?.1
      ?? options.first { word in word.hasPrefix("--color=") }.map { word in String(word.dropFirst(8)) }
    // A wrong value is an error of its own.
    if let color, ColorChoice(rawValue: color) != nil { arguments.set(.color, to: color) }
    return arguments
  }
}
