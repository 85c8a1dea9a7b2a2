/// The arguments of one command, checked against its row of the table.
package struct ParsedArguments: Sendable {
  /// The positional arguments, in order.
  package internal(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  /// Takes an option as given.
  ///
  /// - Throws: A usage error when it may be given once and was given twice, or when the value is none of the choices.
  mutating func add(_ option: CommandOption, value: String) throws(ToolFailure) {
    if values[option.name] != nil, option.value != nil, !option.isRepeatable {
      throw .usage("--\(option.name) is given twice")
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw .usage(
        "--\(option.name) takes one of \(option.choices.joined(separator: ", ")), not '\(value)'",
        advice: Suggestion.sentence(for: value, among: option.choices)
      )
    }
    values[option.name, default: []].append(value)
  }

  /// Sets a flag.
  mutating func set(_ flag: CommandOption) { values[flag.name] = [""] }

  /// Whether a flag is given.
  package func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// The value of an option that may be given once.
  package func value(of option: CommandOption) -> String? { values[option.name]?.last }

  /// The values of an option that may be repeated, in order.
  package func values(of option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// The positional argument at an index; `nil` when it is optional and not given.
  package func positional(_ index: Int) -> String? {
    index < positionals.count ? positionals[index] : nil
  }

  /// The value of an option as a whole number.
  package func integer(of option: CommandOption, in range: ClosedRange<Int>) throws(ToolFailure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let expected =
        range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound)…\(range.upperBound)"
      throw .usage("--\(option.name) takes a whole number (\(expected)), not '\(text)'")
    }
    return number
  }
}
