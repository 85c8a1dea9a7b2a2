import JSONCoding

package struct ToolDeclaration: Sendable {
  /// The name of the tool; `nil` for that of the command.
  var name: String?
  let title: String
  let help: String
  /// The options that are inputs, in order, in addition to the arguments, the projection and the bounds.
  var inputs: [CommandOption] = []
  /// A hint on what to do with an answer.
  var hint: @Sendable (JSONObject) -> String? = { _ in nil }
  /// The most bytes of a result without `maxBytes`.
  var defaultBytes = 16 << 10
}

extension ToolDeclaration {
  package init(title: String, help: String) {
    (self.title, self.help) = (title, help)
  }
}

struct ContextTool: Sendable {
  /// An input of a tool: an argument or an option of the command.
  struct Input: Sendable {
    enum Kind: Sendable {
      case text, number(ClosedRange<Int>), choice([String]), texts, flag
      /// A revision as a number, or any other point as text.
      case point
      case model, projection
    }

    let name: String
    let kind: Kind
    var isRequired = false
    let help: String
  }

  let command: Command
  let declaration: ToolDeclaration

  static let all = all(of: CommandTable.all)

  static func all(of commands: [Command]) -> [ContextTool] {
    commands.compactMap { command in
      command.tool.map { declaration in ContextTool(command: command, declaration: declaration) }
    }
    .sorted { first, second in first.isOverview && !second.isOverview }
  }

  static func named(_ name: String) -> ContextTool? { all.first { tool in tool.name == name } }

  /// An identifier, as most clients expect it.
  var name: String { declaration.name ?? command.name.replacing("-", with: "_") }
  /// Whether it answers about all logs, see ``ContextCall``.
  var isOverview: Bool { command.name == Command.stats.name }
  /// Whether the lines that the command prints are its `items`.
  var hasItems: Bool { command.answer == .lines }
}

extension ContextTool {
  /// The smallest and the largest result, in bytes.
  static let bytesRange = 4_096...1 << 20
  private static let countRange = 0...1_000_000
  /// The most logs that are named in the inputs of every tool.
  private static let listedLogs = 16

  var arguments: [CommandArgument] { isOverview ? [] : Array(command.positionalArguments.dropFirst()) }

  /// All inputs: the log, the arguments and options of the command, a projection, and the bounds.
  func allInputs(_ logs: [String]) -> [Input] {
    let isAboutModel = isOverview || !command.options.contains(.projection)
    return [Self.log(logs)] + arguments.map(Self.input) + declaration.inputs.map(Self.input)
      + (isAboutModel ? [] : [Input(name: "projection", kind: .projection, help: "Of a projection's state.")]) + bounds
  }

  var inputNames: [String] { allInputs([]).map(\.name) }

  private static func log(_ names: [String]) -> Input {
    let isListed = names.count <= listedLogs
    return Input(
      name: "log", kind: isListed ? .choice(names) : .text, isRequired: names.count > 1,
      help: names.count == 1 ? "The only log." : isListed ? "The log." : "A log by its name in overview.")
  }

  private var bounds: [Input] {
    [
      Input(name: "limit", kind: .number(1...1_000_000), help: "Most items."),
      Input(
        name: "maxBytes", kind: .number(Self.bytesRange),
        help: "Most bytes, \(Self.bytesRange.lowerBound) to \(Self.bytesRange.upperBound) "
          + "(default: \(declaration.defaultBytes))."),
      Input(name: "cursor", kind: .text, help: "The next of a truncated answer."),
    ]
  }

  private static func input(_ argument: CommandArgument) -> Input {
    Input(
      name: argument.input, kind: argument.isRepeatable ? .texts : kind(argument.kind, argument.choices),
      isRequired: !argument.isOptional, help: argument.help)
  }

  private static func input(_ option: CommandOption) -> Input {
    Input(
      name: option.input,
      kind: option.value == nil ? .flag : option.isRepeatable ? .texts : kind(option.kind, option.choices),
      help: option.help)
  }

  private static func kind(_ kind: ValueKind, _ choices: [String]) -> Input.Kind {
    switch kind {
    case .text: choices.isEmpty ? .text : .choice(choices)
    case .point: .point
    case .count: .number(countRange)
    case .model: .model
    case .projection: .projection
    }
  }
}
