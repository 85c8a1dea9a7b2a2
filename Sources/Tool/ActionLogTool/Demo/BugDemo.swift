import ActionLog
import JSONCoding
import TextDisplay

/// `demo --bug`: makes a long log in which a value goes wrong once, and says what to ask it.
struct BugDemo {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let (model, bug) = try teller()
    guard let path = context.arguments.value(of: DemoCommand.keep), !path.isEmpty else {
      throw ToolFailure.usage(
        "--bug makes a log for you to ask, and needs a directory for it", advice: "Give --keep DIR.")
    }
    try DemoDirectory.checkFree(path, in: context.files)
    let progress = context.progress("recording", unit: .actions)
    let contents = try model.writeBugLog(path, fileSystem: context.files) { done in
      try progress.update(done: done, total: nil)
    }
    try progress.finish()
    if context.isJSON {
      try context.output.json(json(bug, model, contents, path))
    } else if !context.isQuiet {
      try context.output.lines(page(bug, model, contents, path))
    }
    return .success
  }

  private func teller() throws -> (any ModelHandle, BugStory) {
    let named = context.arguments.value(of: .model)
    let candidates = try named.map { name in [try context.model(named: name)] } ?? context.tool.models.map(\.handle)
    for model in candidates {
      if let bug = model.bug { return (model, bug) }
    }
    let models = context.tool.models.map(\.handle).filter { model in model.bug != nil }.map(\.name)
    throw ToolFailure.usage(
      named.map { name in "the model '\(name)' has no bug to find" } ?? "no model of this tool has a bug to find",
      advice: models.isEmpty
        ? "Register one with .model(…, bug:history:)." : "These have: \(models.joined(separator: ", ")).")
  }

  private func page(
    _ bug: BugStory, _ model: any ModelHandle, _ contents: BugLogContents, _ path: String
  ) -> [String] {
    let style = context.output.style
    let snapshots = contents.snapshots.map { revision in HumanText.count(revision) }.joined(separator: ", ")
    return [
      bug.complaint,
      "\(TerminalText.escaping(path)): \(HumanText.count(contents.actionCount, "action")) of '\(model.name)', with snapshots at "
        + "\(snapshots). Without the bug the model is '\(bug.mended)'.",
      "",
      style.bold("Find the action, what it takes, and what would have been"),
    ] + commands(bug, path).map { line in "   " + TerminalText.escaping(line) } + [
      "\(BugStory.answer) is the revision that the first two commands find, \(BugStory.lead) one a little before it."
    ]
  }

  /// The commands to try next, as they can be typed.
  private func commands(_ bug: BugStory, _ path: String) -> [String] {
    bug.commands(log: path).map { words in
      ([context.tool.name] + words.map(ShellWord.quoted)).joined(separator: " ")
    }
  }

  private func json(
    _ bug: BugStory, _ model: any ModelHandle, _ contents: BugLogContents, _ path: String
  ) -> JSONValue {
    [
      "path": .string(path), "model": .string(model.name), "mended": .string(bug.mended),
      "actions": .integer(contents.actionCount), "snapshots": .array(contents.snapshots.map(JSONValue.integer)),
      "pointer": .string(bug.pointer), "wrong": .string(bug.wrong),
      "right": .string(bug.right), "commands": .array(commands(bug, path).map(JSONValue.string)),
    ]
  }
}
