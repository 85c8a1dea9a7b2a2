import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let help = Command(
    "help",
    group: .about,
    effect: .reads,
    summary: "explain the tool, a command, or a subject: points, conditions, json",
    examples: [
      .init("help", "the commands"), .init("help diff", "one command"), .init("help points", "how to name a revision"),
    ],
    arguments: [CommandArgument("COMMAND", arity: .optional, "the command or subject to explain")],
    schema: .anyOf(
      "A line for each command, or one object for one; 'help json' prints this schema.",
      [Command.shape.schema, HelpTopic.shape.schema, AnswerSchemas.schema]),
    blocking: { context in
      if let name = context.arguments.positional(0) {
        if context.tool.program == nil, let topic = HelpTopic.named(name) {
          try topic.print(context)
          return .success
        }
        let command = try context.parser.command(named: name)
        if context.isJSON {
          try context.output.json(Command.shape.json(command))
        } else {
          try context.tool.printHelp(for: command, context: context)
        }
      } else if context.isJSON {
        for command in context.tool.commands { try context.output.json(Command.shape.json(command)) }
      } else {
        try context.tool.printOverview(context: context)
      }
      return .success
    }
  )
}

extension AnswerShape<Command.Example> {
  static let example = object(nil, [.member("arguments", .text, \.arguments), .member("meaning", .text, \.meaning)])
}

extension Command {
  fileprivate static let shape = AnswerShape<Command>.object(
    nil,
    [
      .member("name", .text, \.name), .member("summary", .text, \.summary), .member("usage", .text, \.usage),
      .member("details", .text, \.details), .member("examples", .array(of: .example), \.examples),
      .member("arguments", .array(of: argument), \.arguments), .member("options", .array(of: option), \.allOptions),
    ])

  private static let argument = AnswerShape<CommandArgument>.object(
    nil, [.member("name", .text, \.name), .member("help", .text, \.help)])
  private static let option = AnswerShape<CommandOption>.object(
    nil, [.member("usage", .text, \.usage), .member("help", .text, \.help)])
}

extension Command {
  static let version = Command(
    "version",
    group: .about,
    summary: "print the version of the tool and of its log format",
    examples: [.init("version", "name, version and format")],
    schema: ActionLogTool.versionShape.schema,
    blocking: { context in
      try context.tool.printVersion(context: context)
      return .success
    }
  )
}

extension Command {
  static let completions = Command(
    "completions",
    group: .about,
    summary: "print completions for a shell: commands, options, models, paths, and words of a log",
    details: """
      The script is generated from the command table, like the help. It proposes the models of this tool, and of the log on the command
      line the marks, the types of actions, and the paths of the state.
      'completions types' and 'completions pointers' print the last two. They read a bounded part of the log, to be fast on any log:
      the types of the first \(CompletionWords.firstActions) and the last \(CompletionWords.lastActions) actions; the paths of the state
      that the newest snapshot and at most \(CompletionWords.foldLimit) actions after it lead to, or without a snapshot the first
      \(CompletionWords.foldLimit) actions, if the snapshot has at most \(HumanText.bytes(CompletionWords.snapshotLimitBytes)); and at most
      \(CompletionWords.wordLimit) words. 'completions pointers LOG PREFIX' prints one level of the state: the paths that begin with PREFIX.
      """,
    examples: [
      .init("completions bash > ~/.local/share/bash-completion/completions/action-log", "for every new bash"),
      .init("completions zsh > ~/.zfunc/_action-log", "in a directory of $fpath"),
      .init("completions fish > ~/.config/fish/completions/action-log.fish", "for every new fish"),
    ],
    arguments: [
      CommandArgument(
        "SHELL", choices: ["bash", "zsh", "fish", "types", "pointers"],
        "bash, zsh or fish; or types or pointers of a log"),
      CommandArgument("LOG", arity: .optional, "with types and pointers: the log"),
      CommandArgument("PREFIX", arity: .optional, "with pointers: the beginning of a path"),
    ],
    schema: .anyOf(
      "One object: the script, or the words of a log. isComplete is false if only a part of the log was read.",
      [Command.script.schema, CompletionWords.shape.schema]),
    blocking: { context in
      if let words = try CompletionWords(context) { return try words.print() }
      let table = CompletionTable(context.tool)
      let shell = context.arguments.positionals[0]
      let lines =
        switch shell {
        case "bash": BashCompletion(table: table).lines
        case "zsh": ZshCompletion(table: table).lines
        default: FishCompletion(table: table).lines
        }
      try context.answer((shell, lines), script) { try context.output.lines(lines) }
      return .success
    }
  )

  private static let script = AnswerShape<(shell: String, lines: [String])>.object(
    nil,
    [
      .member("shell", .word("bash", "zsh", "fish"), \.shell),
      .member("script", .text) { answer in answer.lines.map { line in line + "\n" }.joined() },
    ])

  static let manual = Command(
    "manual",
    group: .about,
    summary: "print the manual page, for man",
    examples: [
      .init("manual > action-log.1 && man ./action-log.1", "read it"),
      .init("manual > ~/.local/share/man/man1/action-log.1", "install it"),
    ],
    schema: page.schema,
    blocking: { context in
      let lines = ManualPage(tool: context.tool).lines
      try context.answer(lines, page) { try context.output.lines(lines) }
      return .success
    }
  )

  private static let page = AnswerShape<[String]>.object(
    "One object: the page.",
    [
      .member("section", .integer) { _ in 1 },
      .member("page", .text) { lines in lines.map { line in line + "\n" }.joined() },
    ])
}

extension Command {
  static let models = Command(
    "models",
    group: .about,
    effect: .reads,
    summary: "list the models whose logs this tool can replay",
    details: """
      The first line of a log names its model. Commands that need states (state, step, diff, replay, snapshot) work for the models
      listed here; list, show, cat, verify and others work for any log. 'what-if --with' folds the log of one model with another.
      """,
    examples: [.init("models", "name and schema version of each")],
    schema: .anyOf("A line for each model.", [AnswerShape.model.schema]),
    blocking: { context in
      if context.isJSON {
        for model in context.tool.models { try context.output.json(AnswerShape.model.json(model)) }
        return .success
      }
      var table = TextTable([.left, .left, .left])
      for model in context.tool.models {
        let names = model.projections.map(\.identity.name).joined(separator: ", ")
        let note =
          model.handle.bug.map { bug in "has a bug that '\(bug.mended)' does not have: see 'demo --bug'" }
          ?? (names.isEmpty ? "" : "projections: \(names)")
        table.append([
          .init(model.name), .init("schema \(model.schema)"), .init(note, paint: context.output.style.dim),
        ])
      }
      try context.output.lines(table.lines())
      return .success
    }
  )
}

extension AnswerShape<RegisteredModel> {
  fileprivate static let model = object(
    nil,
    [
      .member("name", .text, \.name), .member("schema", .integer, \.schema),
      .optional("projections", .array(of: projection)) { model in
        model.projections.isEmpty ? nil : model.projections.map(\.identity)
      },
      .optional("mended", .text, \.handle.bug?.mended),
    ])

  private static let projection = AnswerShape<ProjectionIdentity>.object(
    nil, [.member("name", .text, \.name), .member("version", .integer, \.version)])
}

/// `completions types|pointers LOG`: the words of a log that shells propose, read from a bounded part of it.
private struct CompletionWords {
  /// The numbers of actions whose types are read, at the beginning and at the end.
  static let firstActions = 500
  static let lastActions = 2_000
  /// The most actions that are folded.
  static let foldLimit = 5_000
  /// The largest snapshot that is read, of which a program decodes about 100 MB a second.
  static let snapshotLimitBytes = 16 << 20
  /// The most words that are printed: more than a user reads.
  static let wordLimit = 500
  /// The most members of a container without sorted names that are searched for a prefix.
  private static let memberLimit = 10_000

  static let shape = AnswerShape<(kind: String, words: [String], isComplete: Bool)>.object(
    nil,
    [
      .member("kind", .word("types", "pointers"), \.kind), .member("words", .array(of: .text), \.words),
      .member("isComplete", .flag, \.isComplete),
    ])

  private let context: CommandContext
  private let kind: String

  /// - Returns: `nil` for the script of a shell.
  /// - Throws: A usage error for arguments that the kind does not take.
  init?(_ context: CommandContext) throws(ToolFailure) {
    let words = context.arguments.positionals
    kind = words[0]
    self.context = context
    let (least, most) =
      switch kind {
      case "types": (2, 2);
      case "pointers": (2, 3);
      default: (1, 1)
      }
    guard words.count >= least else { throw .missing(.wholeLog, for: "completions \(kind)") }
    guard words.count <= most else { throw .usage("'completions \(kind)' takes no argument '\(words[most])'") }
    if least == 1 { return nil }
  }

  func print() throws -> ExitStatus {
    let found = try kind == "types" ? types() : pointers()
    let words = Array(found.words.prefix(Self.wordLimit))
    try context.answer((kind, words, found.isComplete && words.count == found.words.count), Self.shape) {
      try context.output.lines(words.map(TerminalText.escaping))
    }
    return words.isEmpty ? .negative : .success
  }

  private func types() throws -> (words: [String], isComplete: Bool) {
    let reader = try context.openReader(context.logPath(1))
    let (first, last) = (reader.firstRevision, try reader.extent().lastRevision)
    var types: Set<String> = []
    let middle = min(last, first + Self.firstActions)
    let end = max(middle, last - Self.lastActions)
    for range in [first..<middle, end..<last] where !range.isEmpty {
      var records = try reader.records(from: range.lowerBound + 1)
      while let record = try records.next(), record.revision <= range.upperBound {
        if !record.isControl { types.insert(record.type) }
      }
    }
    return (types.sorted(), end == middle)
  }

  private func pointers() throws -> (words: [String], isComplete: Bool) {
    let history = try context.openHistory(context.logPath(1))
    let (first, last) = (history.reader.firstRevision, try history.reader.extent().lastRevision)
    guard let base = try base(of: history, upTo: last) else { return ([], false) }
    let revision = min(last, max(first, base) + Self.foldLimit)
    let prefix = context.arguments.positional(2) ?? "/"
    // The last name is unfinished: it is a prefix of the names to propose.
    let end = prefix.lastIndex(of: "/") ?? prefix.startIndex
    guard let parent = JSONPointer(String(prefix[..<end])) else { return ([], true) }
    let start = prefix[end...].dropFirst().replacing("~1", with: "/")
      .replacing("~0", with: "~")
    let walk = try history.walk(at: revision)
    let (members, isComplete) = try members(of: parent, startingWith: String(start), in: walk)
    let words = members.flatMap { member -> [String] in
      let pointer = "\(parent.appending(member.name))"
      // A path that can be continued is proposed twice, so that no shell ends the word after it.
      return member.count ?? 0 > 0 ? [pointer, pointer + "/"] : [pointer]
    }
    return (words, isComplete && revision == last)
  }

  /// The revision of the newest usable snapshot, or 0; `nil` if a snapshot is too large.
  private func base(of history: any HistoryHandle, upTo last: Int) throws -> Int? {
    for revision in history.snapshotRevisions(ReplayOptions()) where revision <= last {
      let path = history.snapshots?.path(at: revision) ?? ""
      if try context.files.status(of: path)?.sizeBytes ?? 0 > Self.snapshotLimitBytes { return nil }
    }
    return history.newestSnapshotRevision(options: ReplayOptions()).revision ?? 0
  }

  /// The members of a container whose names begin with a text.
  private func members(
    of parent: JSONPointer, startingWith start: String, in walk: any WalkHandle
  ) throws -> (members: [MemberPage.Member], isComplete: Bool) {
    var names: [String]?
    var page = try walk.members(of: parent, names: &names, from: 0, limit: Self.memberLimit, around: nil)
    if let names, names.count > Self.memberLimit {
      // The names are sorted by their bytes.
      var (low, high) = (0, names.count)
      while low < high {
        let middle = (low + high) / 2
        if names[middle].utf8.lexicographicallyPrecedes(start.utf8) { low = middle + 1 } else { high = middle }
      }
      var known: [String]? = names
      page = try walk.members(of: parent, names: &known, from: low, limit: Self.wordLimit, around: nil)
    }
    guard let page else { return ([], true) }
    let found = page.members.filter { member in member.name.hasPrefix(start) }
    let isAtEnd = page.offset + page.members.count >= page.count || page.members.last?.name.hasPrefix(start) == false
    return (found, isAtEnd)
  }
}
