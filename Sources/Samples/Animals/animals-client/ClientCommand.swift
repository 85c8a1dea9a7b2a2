import ActionLog
import ActionLogTool
import AnimalsData
public import AnimalsRemote
import EventSourcing
import Foundation
import JSONCoding
import Platform
import SampleSupport
public import Services

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The common part of the commands: opens the store, and prints animals.
struct ClientCommand: Sendable {
  let context: CommandContext

  /// Creates a command that runs `body` with the store that its options name.
  static func command(
    _ name: String, summary: String, examples: [Command.Example], arguments: [CommandArgument] = [],
    options: [CommandOption] = [],
    _ body: @escaping @Sendable (ClientCommand, any PersistentSessionPersistentStore) async throws -> Void
  ) -> Command {
    Command(
      name, summary: summary, examples: examples, arguments: arguments, options: options + StoreOptions.all,
      asynchronous: { context in
        let client = ClientCommand(context: context)
        do {
          try await BlockingWork.run { try StoreOptions(context) }.use { store in try await body(client, store) }
        } catch {
          throw ToolFailure(store: error) ?? error
        }
        return .success
      })
  }

  func report(_ text: String, _ animal: Animal) throws {
    try context.note("\(text)")
    try print([animal])
  }

  func print(_ animals: [Animal], _ categories: [AnimalsData.Category]) throws {
    try print(animals)
    if !context.isJSON { try context.output.line() }
    try print(categories, [\.categoryId, \.name])
  }

  private func print(_ animals: [Animal]) throws {
    try print(animals, [\.animalId, \.name, \.diet.rawValue, \.categoryId])
  }

  private func print<Row: Encodable>(_ rows: [Row], _ columns: [KeyPath<Row, String>]) throws {
    if context.isJSON {
      for row in rows { try context.output.json(try JSONValue(parsing: try StrictJSONEncoder().encode(row))) }
      return
    }
    var table = TextTable(columns.map { _ in .left })
    for row in rows { table.append(columns.map { column in row[keyPath: column] }) }
    try context.output.lines(table.lines())
  }

  static func animal(
    _ animalId: Animal.ID, in store: some PersistentSessionPersistentStore
  ) async throws -> Animal {
    let animals = try await store.fetchAnimalsQuery()
    guard let animal = animals.first(where: { animal in animal.id == animalId }) else { throw missing(animalId) }
    return animal
  }

  /// Changes an animal that was just fetched. Another client may have deleted it since.
  static func changing(
    _ animal: Animal, _ change: (Animal.ID) async throws -> Animal
  ) async throws -> Animal {
    do {
      return try await change(animal.id)
    } catch let error as NetworkSessionError where error.statusCode == 404 {
      throw missing(animal.id)
    }
  }

  private static func missing(_ animalId: Animal.ID) -> ToolFailure {
    ToolFailure("animalNotFound", .negative, "there is no animal with the id '\(animalId)'", advice: listAdvice)
  }

  static let listAdvice: MessageText = "'animals-client list' shows the ids. Nothing was changed."

  /// Checks that a name is not empty, as in the guide's form.
  static func name(_ text: String) throws -> String {
    guard text.contains(where: { character in !character.isWhitespace }) else {
      throw ToolFailure.usage("an animal needs a name", intact: "Nothing was changed.")
    }
    return text
  }

  static func category(
    _ text: String, in store: some PersistentSessionPersistentStore
  ) async throws -> AnimalsData.Category.ID {
    let ids = try await store.fetchCategoriesQuery().map(\.id)
    guard !ids.contains(text) else { return text }
    throw ToolFailure(
      "categoryNotFound", .negative, "there is no category with the id '\(text)'",
      advice: "The categories are \(ids.sorted().joined(separator: ", ")). Nothing was changed.")
  }

  /// Returns the diet with a stored name or a name in the code, ignoring case.
  static func diet(_ text: String) throws -> Animal.Diet {
    let name = text.lowercased()
    for diet in Animal.Diet.allCases where [diet.rawValue.lowercased(), "\(diet)"].contains(name) { return diet }
    let names = Animal.Diet.allCases.map(\.rawValue).joined(separator: ", ")
    throw ToolFailure.usage("--diet takes one of \(names), not '\(text)'")
  }
}

extension NetworkSession: RemoteStoreNetworkSession {}

struct StoreOptions: Sendable {
  static let local = CommandOption.value(
    "local", letter: "l", "DIR",
    "use the store DIR/default.store, created if missing (default: the working directory)")
  static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "use the server at this URL, for instance http://localhost:8080/animals/api")

  static let all = [local, remote]

  /// The log of the store on this device; `nil` for a server.
  let log: String?
  private let remote: String?
  private let remarks: RecordingNotices

  init(_ context: CommandContext) throws {
    let (local, remote) = (context.arguments.value(of: Self.local), context.arguments.value(of: Self.remote))
    guard local == nil || remote == nil else { throw ToolFailure.usage("--local and --remote exclude each other") }
    self.remote = remote
    remarks = RecordingNotices(context)
    log = remote == nil ? (local ?? ".") + "/default.store" : nil
    if let local { try LogLocator(context).requireFolder(local, option: Self.local.name) }
  }

  /// Runs a function with the store, and then closes it.
  func use<Value>(_ body: (any PersistentSessionPersistentStore) async throws -> Value) async throws -> Value {
    guard let log else {
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      let store =
        if let remote { RemoteStore(session: session, address: remote) } else { RemoteStore(session: session) }
      return try await body(store)
    }
    let store = LocalStore<UUID>(
      path: log, createsDirectories: true, configuration: remarks.watching(RecordingConfiguration()))
    let value = try await body(store)
    try await store.close()
    return value
  }
}

extension ToolFailure {
  /// Creates a failure from an error of a store, with advice; `nil` for errors that the tool handles itself.
  init?(store error: any Error) {
    switch error {
    case let error as LocalStoreError:
      self.init(error, .negative, advice: error.code == .animalNotFound ? ClientCommand.listAdvice : nil)
    case let error as RemoteStoreError:
      self.init(error, .usage, message: "\(error.message)")
    case let error as RemoteResponseError:
      self.init(error, .environment)
    case let error as NetworkSessionError where error.statusCode == 404:
      self.init(
        error, .environment, message: "the server has no animals at this address",
        advice: "'animals-server' prints its address when it starts. Nothing was changed.")
    case let error as NetworkSessionError:
      self.init(
        error, .environment, message: "\(error.headline)",
        advice: error.code == .transportError ? "Check that 'animals-server' is running there." : nil)
      // The headline contains it.
      path = nil
    default: return nil
    }
  }
}
