import ActionLog
import HTTPServer
import JSONCoding
import Platform
import TerminalUI

extension Command {
  static let inspect = Command(
    "inspect",
    group: .travel,
    summary: "serve a page over a log of any length, also while it is written, to this computer's browser",
    details: """
      The page shows the actions, the state at each revision and the changes, like 'report', and the engine answers its requests when
      the user looks. Standard output gets the address. It contains a secret, without which the server answers nothing, and the server
      listens on 127.0.0.1 only. Nothing is written to the log, except marks with --allow-marks. Ctrl-C ends it.
      On a terminal, --port keeps the secret in $XDG_RUNTIME_DIR, which only the user can read: a tab continues when the same log is
      inspected at the same port again.
      With --projection the states and the answers are those of the projection; a test and a bug report need the model.
      """,
    examples: [
      .init("inspect my-log", "print the address of the page"),
      .init("inspect my-log --open", "open it in the browser"),
      .init("inspect my-log --at '5m ago' --port 8090", "from a point, at a fixed port"),
      .init("inspect my-log --projection sales-per-day", "the states of a projection"),
    ],
    arguments: [.readLog],
    options: [
      InspectCommand.at, LocalServer.port, InspectCommand.open, InspectCommand.allowMarks, .model, .projection,
    ],
    schema: InspectCommand.shape.schema,
    asynchronous: { context in try await InspectCommand(context: context).run() }
  )
}

/// `inspect`: serves the page until the user ends it.
struct InspectCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the first point (default: the end)")
  static let open = CommandOption.flag("open", "open the page in the browser")
  static let allowMarks = CommandOption.flag("allow-marks", "let the page add and remove marks")

  static let shape = AnswerShape<(url: String, port: Int)>.object(
    "One object: the address of the page, which contains the secret of the run.",
    [
      .member("url", .text, \.url),
      .member("port", .port, \.port),
    ])

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let service = try await BlockingWork.run { [context] in try InspectorService(context) }
    var server = LocalServer(context)
    server.limits.bodyBytes = InspectorLimits.bodyBytes
    server.limits.requests = InspectorLimits.requests
    // A tab that waits for news does not delay the end.
    server.timeouts.stopping = .milliseconds(500)
    try await server.run(
      answering: { request in await service.answer(request) }, willStop: service.stop
    ) { port in
      service.listen(on: port)
      let address = "http://127.0.0.1:\(port)/#t=\(service.token.text)"
      try context.answer((address, Int(port)), Self.shape) { try context.output.line(address) }
      try context.flush()
      return try context.arguments.has(Self.open) ? BrowserRedirection(to: address, context) : nil
    }
    return .success
  }

  /// The secret: that of the last inspection of the log at the same port, if it is kept, or else a new one. Blocks.
  static func token(_ context: CommandContext, ofLog log: String) throws -> BearerToken {
    let new = BearerToken()
    guard context.environment.outputIsTerminal,
      let port = try context.arguments.integer(of: LocalServer.port, in: 0...65_535),
      port > 0, let folder = context.environment.variables["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      log.wholeMatch(of: /[A-Za-z0-9\-]{1,64}/) != nil
    else { return new }
    let path = "\(folder)/action-log-inspect-\(port)-\(log)"
    do throws(FileSystemError) {
      if let kept = try new.kept(at: path, in: context.files) { return kept }
      try context.files.remove(path)
      _ = try new.kept(at: path, in: context.files)
    } catch {
      // A secret that cannot be kept is good for this run.
    }
    return new
  }
}
