import JSONCoding

/// A tool of the server: a question of a client, as a command line whose answer is JSON.
struct ContextTool: Sendable {
  /// An input of a tool.
  struct Input: Sendable {
    enum Kind: Sendable {
      case text, number(ClosedRange<Int>), choice([String]), texts
      /// A revision as a number, or any other point as text.
      case point
      /// The name of a model or a projection that the program knows.
      case model, projection
    }

    let name: String
    let kind: Kind
    var isRequired = false
    let help: String
  }

  /// The form of the structured answer.
  enum Answer: Sendable {
    /// The object that the command prints.
    case object
    /// An object with the lines that the command prints, as `items`.
    case items
  }

  let name: String
  let title: String
  let help: String
  let inputs: [Input]
  /// Whether the state of a projection has no part in the answer.
  var isAboutModel = false
  /// The commands whose answers it has.
  let verbs: [String]
  let answer: Answer
  /// Returns the command line without its bounds: the words before the path of the log, and those after it.
  let words: @Sendable (ToolInputs) throws(ToolFailure) -> CommandWords
  /// A hint on what to do with an answer.
  var hint: @Sendable (JSONObject) -> String? = { _ in nil }
  /// The command that runs in place of the one of that name.
  var command: Command?
  /// The schemas of the members that only this command has.
  var ownMembers: JSONObject = [:]
  /// The most bytes of a result without `maxBytes`.
  var defaultBytes = 16 << 10
}

/// The words of a command line: a verb, its options, and its arguments after the path of the log.
struct CommandWords: Sendable {
  var verb: String
  var options: [String] = []
  var arguments: [String] = []

  init(_ verb: String, _ arguments: [String] = []) { (self.verb, self.arguments) = (verb, arguments) }

  /// Adds an option with the value of an input, if it is given.
  func with(_ option: String, _ value: String?) -> CommandWords {
    guard let value else { return self }
    var copy = self
    copy.options.append("--\(option)=\(value)")
    return copy
  }

  /// Adds an option for each value.
  func with(_ option: String, each values: [String]) -> CommandWords {
    values.reduce(self) { words, value in words.with(option, value) }
  }

  /// The complete command line. The path and the arguments cannot be taken for options.
  func commandLine(_ path: String, bounds: [String]) -> [String] {
    [verb] + options + bounds + ["--json", "--", path == "-" ? "./-" : path] + arguments
  }
}

extension ContextTool {
  /// The smallest and the largest result, in bytes.
  static let bytesRange = 4_096...1 << 20

  /// The most logs that are named in the inputs of every tool.
  private static let listedLogs = 16

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
        help: "Most bytes, \(Self.bytesRange.lowerBound) to \(Self.bytesRange.upperBound) (default: \(defaultBytes))."),
      Input(name: "cursor", kind: .text, help: "The next of a truncated answer."),
    ]
  }

  private static let projection = Input(
    name: "projection", kind: .projection, help: "Of a projection's state.")

  /// All inputs: the log, those of the tool, a projection, and the bounds.
  func allInputs(_ logs: [String]) -> [Input] {
    [Self.log(logs)] + inputs + (isAboutModel ? [] : [Self.projection]) + bounds
  }

  private static let path = Input(
    name: "path", kind: .text, isRequired: true, help: "A JSON Pointer into the state, such as /animals/data/Dog.")
  /// The conditions that a search for actions accepts.
  private static let stateCondition =
    "on the state alone: without changed, type, seq, time, data/… and meta/…. Name the wrong value with ==: != and not also hold "
    + "before there is a value."
  private static let explainedCondition = Input(
    name: "condition", kind: .text, isRequired: true,
    help: "Such as /value > 10, /animals/data/Dog exists, or type like \"*.didUpdate*\" and /value changed. "
      + "It compares values of the state by JSON Pointers, and type, seq, time, data/… and meta/… of the action, with == != < <= > "
      + ">=, contains, like, exists, changed, and, or, not.")
  private static let from = Input(
    name: "from", kind: .point, help: "The first action of the range (default: the start).")
  private static let to = Input(name: "to", kind: .point, help: "The last action of the range (default: the end).")

  private static func at(_ help: String, isRequired: Bool = false) -> Input {
    Input(name: "at", kind: .point, isRequired: isRequired, help: help)
  }

  /// Every tool, in the order of the list.
  static let all: [ContextTool] = [
    overview, list, show, state, diff, blame, history, find, minimize, whatIf, test,
  ]

  /// The tool with a name; `nil` if there is none. Accepts the former name of ``minimize``.
  static func named(_ name: String) -> ContextTool? {
    let name = name == "minimise" ? minimize.name : name
    return all.first { tool in tool.name == name }
  }

  /// The logs, and the counts of one. Its answer has two parts, see ``ContextCall``.
  static let overview = ContextTool(
    name: "overview", title: "Overview of the logs",
    help:
      "Lists the logs with their model, size, last action and end. For one log also counts actions by type, actor and time.",
    inputs: [], isAboutModel: true, verbs: ["fleet", "stats"], answer: .object, words: { _ in CommandWords("stats") })

  private static let list = ContextTool(
    name: "list", title: "List actions",
    help: "Lists actions in order: seq, time, type, data and meta of each.",
    inputs: [
      from, to,
      Input(
        name: "type", kind: .text, help: "Only actions of this type: parts of it between dots, or a pattern with *."),
      Input(name: "actor", kind: .text, help: "Only actions of this actor."),
      Input(name: "grep", kind: .text, help: "Only actions whose data or meta contain this text, in the same case."),
      Input(name: "condition", kind: .text, help: "Only actions after which this condition holds; see find."),
      Input(name: "path", kind: .text, help: "Only actions that changed this value of the state, a JSON Pointer."),
      Input(name: "cause", kind: .point, help: "Only the causes and effects of this action."),
      Input(
        name: "last", kind: .number(0...1_000_000), help: "Only this many last actions, instead of the first ones."),
    ], verbs: ["list"], answer: .items,
    words: { inputs throws(ToolFailure) in
      CommandWords("list").with("from", try inputs.point("from")).with("to", try inputs.point("to"))
        .with("type", try inputs.text("type")).with("actor", try inputs.text("actor"))
        .with("grep", try inputs.text("grep")).with("where", try inputs.text("condition"))
        .with("touching", try inputs.text("path")).with("cause", try inputs.point("cause"))
        .with("last", try inputs.number("last"))
    })

  private static let show = ContextTool(
    name: "show", title: "Show an action",
    help:
      "Shows one action in full, with its place in the log and a JSON Patch of what it changed in the state, which names "
      + "the paths. old has the replaced or removed value, up to 1 KiB.",
    inputs: [at("The action that led to this point.", isRequired: true)], verbs: ["show"], answer: .object,
    words: { inputs throws(ToolFailure) in CommandWords("show", [try inputs.required("at")]) })

  private static let state = ContextTool(
    name: "state", title: "State at a point",
    help:
      "Prints the state, or one value of it, at any point of the history. Finds paths: of a value that exceeds maxBytes, members has "
      + "the pointers, kinds and sizes of what is inside; each pointer is a path for the next call.",
    inputs: [
      at("The point (default: the end)."),
      Input(name: "path", kind: .text, help: "A JSON Pointer: only this value of the state."),
    ], verbs: ["state"], answer: .object,
    words: { inputs throws(ToolFailure) in
      CommandWords("state").with("at", try inputs.point("at")).with("path", try inputs.text("path"))
    },
    hint: { answer in
      guard case .array(let members)? = answer["members"], case .number(let bytes)? = answer["bytes"] else {
        return nil
      }
      let pointers = members.compactMap { member -> String? in
        guard case .object(let object) = member, object["count"] != nil, case .string(let pointer)? = object["pointer"]
        else { return nil }
        return pointer
      }
      let example = pointers.first.map { pointer in ", such as \(pointer)," } ?? ""
      return "The value has \(bytes) bytes. state with one of these pointers as path\(example) has that part."
    }, command: .outlinedState,
    ownMembers: [
      "kind": ["type": "string"], "count": ["type": "integer"], "bytes": ["type": "integer"],
      "members": ["type": "array", "items": ["$ref": "#/$defs/outlined"]],
    ], defaultBytes: 8 << 10)

  private static let diff = ContextTool(
    name: "diff", title: "Compare two states",
    help:
      "Compares the states at two points, as a JSON Patch. With at instead of from and to: what that action changed. old has the "
      + "replaced or removed value, up to 1 KiB.",
    inputs: [
      at("One action."), Input(name: "from", kind: .point, help: "The first point."),
      Input(name: "to", kind: .point, help: "The second point."),
    ], verbs: ["diff"], answer: .object,
    words: { inputs throws(ToolFailure) in
      if let point = try inputs.point("at") {
        guard !inputs.has("from"), !inputs.has("to") else { throw .usage("give at, or from and to") }
        return CommandWords("diff", [point])
      }
      return CommandWords("diff", [try inputs.required("from"), try inputs.required("to")])
    })

  private static let blame = ContextTool(
    name: "blame", title: "Who changed a value",
    help: "Finds the action that last changed a value of the state, with its old and new value.",
    inputs: [path, at("The point to search backward from (default: the end).")], verbs: ["blame"], answer: .object,
    words: { inputs throws(ToolFailure) in
      CommandWords("blame", [try inputs.required("path")]).with("at", try inputs.point("at"))
    })

  private static let history = ContextTool(
    name: "history", title: "History of a value",
    help: "Lists every action that changed a value of the state, with the old and new values.",
    inputs: [path, from, to], verbs: ["history"], answer: .items,
    words: { inputs throws(ToolFailure) in
      CommandWords("history", [try inputs.required("path")])
        .with("from", try inputs.point("from")).with("to", try inputs.point("to"))
    })

  /// The ways to search, with their commands.
  private static let modes = ["first": "until", "last": "reverse-until", "bisect": "bisect"]

  private static let find = ContextTool(
    name: "find", title: "Find where a condition holds",
    help:
      "Finds the first or the last point of a range where a condition holds, and the action that led to it. bisect is the fastest "
      + "for a condition that continues to hold once it holds. If it holds nowhere, values has what it reads, at the end.",
    inputs: [
      explainedCondition,
      Input(name: "mode", kind: .choice(["first", "last", "bisect"]), help: "The search (default: first)."),
      from, to,
    ], verbs: ["until", "reverse-until", "bisect"], answer: .object,
    words: { inputs throws(ToolFailure) in
      CommandWords(modes[try inputs.text("mode") ?? "first"] ?? "until", [try inputs.required("condition")])
        .with("from", try inputs.point("from")).with("to", try inputs.point("to"))
    },
    hint: { answer in
      guard case .number(let revision)? = answer["revision"] else { return nil }
      return "show with at \(revision) has the changes of this action, minimize the actions that it takes."
    })

  private static let minimize = ContextTool(
    name: "minimize", title: "Actions that suffice",
    help: "Finds a few actions that suffice to make a condition hold: without any one of them it does not.",
    inputs: [
      Input(name: "condition", kind: .text, isRequired: true, help: "A condition, as for find, but \(stateCondition)"),
      at("A point where the condition holds (default: the end)."),
    ], verbs: ["minimize"], answer: .items,
    words: { inputs throws(ToolFailure) in
      CommandWords("minimize", [try inputs.required("condition")]).with("at", try inputs.point("at"))
    })

  private static let whatIf = ContextTool(
    name: "what_if", title: "What if",
    help:
      "Folds the log with actions skipped, replaced, inserted or moved, or with another model, and compares the states. "
      + "The log is not changed.",
    inputs: [
      Input(name: "skip", kind: .texts, help: "Actions to skip, each N or N-M."),
      Input(name: "replace", kind: .texts, help: "Replacements, each N=TYPE or N=TYPE {…data…}."),
      Input(name: "insert", kind: .texts, help: "Insertions after a revision, each N=TYPE or N=TYPE {…data…}."),
      Input(name: "move", kind: .texts, help: "Moves of an action after a revision, each N=M."),
      Input(name: "with", kind: .model, help: "The model for the changed history, such as one without a bug."),
      Input(name: "to", kind: .point, help: "The last action of both histories (default: the end)."),
    ], verbs: ["what-if"], answer: .object,
    words: { inputs throws(ToolFailure) in
      CommandWords("what-if").with("skip", each: try inputs.texts("skip"))
        .with("replace", each: try inputs.texts("replace")).with("insert", each: try inputs.texts("insert"))
        .with("move", each: try inputs.texts("move")).with("with", try inputs.text("with"))
        .with("to", try inputs.point("to"))
    })

  private static let test = ContextTool(
    name: "test", title: "Write a test",
    help:
      "Writes a Swift test that folds a range of the log again, as source in the answer. With condition, only the actions that "
      + "suffice for it, which keeps the source short; with expect, the test fails until that condition holds.",
    inputs: [
      from, to,
      Input(
        name: "condition", kind: .text,
        help: "Keep only the actions that suffice to make this hold, as minimize does; it must hold at to."),
      Input(
        name: "expect", kind: .text,
        help: "Expect this condition on the state at the end, such as the right value, instead of the recorded state."),
    ], isAboutModel: true, verbs: ["test"], answer: .object,
    words: { inputs throws(ToolFailure) in
      CommandWords("test", [try inputs.point("from") ?? "start", try inputs.point("to") ?? "end"])
        .with("minimize", try inputs.text("condition")).with("expect", try inputs.text("expect"))
    },
    hint: { answer in
      guard answer["source"] != nil else {
        return
          "source is left out: it has the state at from and every action of the range, more than maxBytes. Give condition, which "
          + "keeps only the actions that suffice; leave out from, because the first state is the smallest; or give a larger maxBytes."
      }
      guard case .string(let suite)? = answer["suite"], case .array(let imports)? = answer["imports"] else {
        return nil
      }
      let modules = imports.compactMap { name in if case .string(let name) = name { name } else { nil } }
      return "Save source as \(suite).swift in a test target that depends on "
        + modules.filter { name in name != "Testing" }.joined(separator: ", ")
        + ", and run 'swift test --filter \(suite)'."
    })
}
