import ActionLog
import ActionLogMaintenance
import ActionLogTool
import AnimalsData
import EventSourcing
import Foundation
import HTTPServer
import Platform

extension Command {
  static let serve = Command(
    "",
    summary: "serves animals over HTTP, like the guide's AnimalsDataServer",
    details: """
      POST /animals/api accepts the guide's JSON, for instance {"query":[{"categories":{}},{"animals":{}}]}. The animals are
      stored in the log DIR/default.store, which 'action-log' reads; if it is missing, it is created with the sample data. A
      change is on disk before its response is sent. Requests and responses are printed, unless --quiet is given. On
      SIGTERM and Ctrl-C, the server answers pending requests and closes the log.
      --checkpoint-every stores a checkpoint of the log in its folder proofs, for instance every 5m, or every 1000 changes, and
      when the log is closed. 'action-log verify' compares the log with them. --redactable gives each line of the log a salt:
      when the server has ended, 'action-log redact' can erase values, and checkpoints from before still hold.
      """,
    examples: [
      .init("", "serves http://127.0.0.1:8080/animals/api from this directory"),
      .init("--port 0 --data ~/animals", "a free port, another directory"),
      .init("--checkpoint-every 5m", "a checkpoint five minutes after a change at the latest"),
      .init("--redactable --checkpoint-every 5m", "the same, of a log whose values can be erased later"),
    ],
    options: [
      ServeCommand.port, ServeCommand.host, ServeCommand.data, ServeCommand.checkpointEvery, ServeCommand.redactable,
    ],
    asynchronous: { context in try await ServeCommand(context: context).run() }
  )
}

private struct ServeCommand {
  static let port = CommandOption.value(
    "port", letter: "p", "PORT", "listen on this port (default: 8080; 0 for any free port)")
  static let host = CommandOption.value(
    "host", "ADDRESS", "listen on this IPv4 address (default: 127.0.0.1, only this machine)")
  static let data = CommandOption.value(
    "data", letter: "d", "DIR",
    "use the store DIR/default.store, created if missing (default: this directory)")
  static let checkpointEvery = CommandOption.value(
    "checkpoint-every", "DURATION|N",
    "store a checkpoint of the log at this interval, such as 30s, 5m or 1h, or after N changes, and at the end")
  static let redactable = CommandOption.flag(
    "redactable", "give each line a salt, so that values can be erased later; a log keeps the choice")

  private static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let number = try context.arguments.integer(of: Self.port, in: 0...65_535) ?? 8_080
    let host = context.arguments.value(of: Self.host) ?? "127.0.0.1"
    let folder = context.arguments.value(of: Self.data) ?? "."
    try await BlockingWork.run { [context] in try LogLocator(context).requireFolder(folder, option: Self.data.name) }
    var configuration = RecordingConfiguration<AnimalsStoreModel>()
    configuration.log.redactable = context.arguments.has(Self.redactable)
    if let count = context.arguments.value(of: Self.checkpointEvery).flatMap({ text in Int(text) }), count > 0 {
      configuration.checkpoints = .actions(count)
    } else {
      // A year: longer intervals are typing errors.
      let interval = try context.arguments.duration(
        of: Self.checkpointEvery, in: .seconds(1) ... .seconds(366 * 86_400))
      if let interval { configuration.checkpoints = .interval(interval) }
    }
    let store = LocalStore<UUID>(
      path: folder + "/default.store", createsDirectories: true,
      configuration: RecordingNotices(context).watching(configuration))
    // Open the store before the first request, to report failures at the start.
    _ = try await store.fetchCategoriesQuery()

    let journal = RequestJournal(context.isQuiet ? nil : context.output)
    let service = AnimalsService(
      store: store, hosts: host.hasPrefix("127.") ? Self.loopbackHosts.union([host]) : nil, journal: journal)
    let server = HTTPServer { request in await service.answer(request) }
    context.environment.stop.accept()
    do {
      let port = try server.start(host: host, port: UInt16(number))
      try context.output.line("listening on http://\(host):\(port)\(AnimalsService<LocalStore<UUID>>.path)")
      try context.output.flush()
      await withCheckedContinuation { continuation in
        context.environment.stop.onRequest { continuation.resume() }
      }
    } catch let error as HTTPServerError {
      var failure = ToolFailure(
        error, .environment, message: "\(error.headline)", advice: "Choose another address with --port and --host.")
      // The headline contains it.
      failure.path = nil
      throw failure
    }
    await server.stop()
    try await store.close()
    await journal.finish()
    try context.note("answered all requests and closed the log")
    return .success
  }
}

await ActionLogTool(program: "animals-server", command: .serve).main()
