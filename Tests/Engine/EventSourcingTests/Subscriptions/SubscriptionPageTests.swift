import ActionLog
import EventSourcing
import Platform
import TestSupport
import Testing

// The code of the page *Subscriptions and effects*, between marks, so that it is compiled and run.

private enum Shop: Model {
  enum Action: Codable, Equatable, Sendable {
    case ordered(id: String)
    case shipped(order: String)

    var orderID: String {
      switch self {
      case .ordered(let id): id
      case .shipped(let order): order
      }
    }
  }

  static let name = "shop"
  static let schema = 1
  static let initialState = 0

  static func reduce(into state: inout Int, action: Action) { state += 1 }
}

/// A mail program that ignores repeated keys.
private final class Mail: Sendable {
  private let contents = Locked<[String: String]>([:])

  var sent: [String: String] { contents.withLock { contents in contents } }

  func send(_ order: String, idempotencyKey: String) async throws {
    contents.withLock { contents in contents[idempotencyKey] = order }
  }
}

private actor Oven {
  private(set) var count = 0

  func bake(_ actions: [Shop.Action]) throws { count += actions.count }
}

/// A database whose transactions are atomic.
private final class Database: Sendable {
  struct Transaction {
    var actions: [Shop.Action]
    var position: SubscriptionPosition?

    mutating func insert(_ more: [Shop.Action]) throws { actions += more }
    mutating func setPosition(_ new: SubscriptionPosition) throws { position = new }
  }

  private let contents = Locked(Transaction(actions: [], position: nil))

  var actions: [Shop.Action] { contents.withLock { contents in contents.actions } }

  func position() throws -> SubscriptionPosition? { contents.withLock { contents in contents.position } }

  func transaction(_ body: (inout Transaction) throws -> Void) async throws {
    var transaction = contents.withLock { contents in contents }
    try body(&transaction)
    contents.withLock { [transaction] contents in contents = transaction }
  }
}

@Suite("The page on subscriptions")
struct SubscriptionPageTests {
  private static let actions: [Shop.Action] = [.ordered(id: "a"), .ordered(id: "b"), .shipped(order: "a")]

  @Test func codeBehavesAsThePageStates() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("log")
    try await Self.record(at: path)
    let mail = Mail()
    try await catchUp {
      // begin: mailer
      let mailer = try Subscription<Shop>(named: "mailer", at: path) { delivery in
        guard case .shipped(let order) = delivery.action else { return }
        try await mail.send(order, idempotencyKey: delivery.id)
      }
      try await mailer.run()
      // end: mailer
    } until: {
      mail.sent.values.sorted() == ["a"]
    }
    let database = Database()
    for _ in 1...2 {
      // begin: transaction
      let copy = try Subscription<Shop>(
        named: "copy", at: path, from: .resuming(after: try database.position())
      ) { delivery in
        try await database.transaction { transaction in
          try transaction.insert(delivery.actions)
          try transaction.setPosition(delivery.position)
        }
      }
      // end: transaction
      try await copy.catchUp()
    }
    #expect(database.actions == Self.actions)
    do {
      let database = Database()
      // begin: batches
      let index = try Subscription<Shop>(
        named: "index", at: path, from: .resuming(after: try database.position()), batchesOf: 500
      ) { deliveries in
        guard let last = deliveries.last else { return }
        try await database.transaction { transaction in
          for delivery in deliveries { try transaction.insert(delivery.actions) }
          try transaction.setPosition(last.position)
        }
      }
      // end: batches
      try await index.catchUp()
      #expect(database.actions == Self.actions)
    }
    let oven = Oven()
    // begin: width
    let kitchen = try Subscription<Shop>(
      named: "kitchen", at: path, order: .ordered(by: { delivery in delivery.action?.orderID }, width: 8)
    ) { delivery in try await oven.bake(delivery.actions) }
    // end: width
    try await kitchen.catchUp()
    #expect(await oven.count == 3)
  }

  @Test func configurationIsAsThePageSays() {
    // begin: failures
    var configuration = SubscriptionConfiguration()
    configuration.retries = RetryPolicy(attempts: 3, firstDelay: .seconds(1))
    configuration.onFailure = .skip
    // end: failures
    #expect(configuration.retries.attempts == 3)
  }

  @MainActor private static func record(at path: String) async throws {
    let store = try RecordingStore<Shop>(at: path)
    for action in actions { try store.dispatch(action: action) }
    try await store.close()
  }

  /// Runs a subscription until a condition holds.
  private func catchUp(
    _ body: @escaping @Sendable () async throws -> Void, until condition: () -> Bool
  ) async throws {
    let task = Task { try await body() }
    #expect(try await eventually { condition() })
    task.cancel()
    try await task.value
  }
}
