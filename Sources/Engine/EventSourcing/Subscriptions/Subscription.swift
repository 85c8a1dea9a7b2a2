public import ActionLog

/// A consumer of a log with a durable position: it hands each durable action to a handler at least once, in order, across crashes.
///
/// ```swift
/// let mailer = try Subscription<Shop>(named: "mailer", at: path) { delivery in
///   guard case .shipped(let order) = delivery.action else { return }
///   try await mail.send(order, idempotencyKey: delivery.id)
/// }
/// try await mailer.run()
/// ```
///
/// The position is stored in `LOG/subscriptions/NAME.json` after the handler returned. After a crash, the actions past the stored position
/// are delivered again, with the same ``Delivery/id``: a handler that passes it on as an idempotency key has its effect once.
///
/// Only one consumer at a time delivers a subscription, in any process. Actions are delivered when they are durable, from the log's files,
/// so the writer may be in this process, in another one, or not running.
public final class Subscription<M: Model>: Sendable {
  /// Handles an action. If it throws, the action is delivered again, as the configuration says.
  public typealias Handler = @Sendable (Delivery<M.Action>) async throws -> Void
  /// Handles several consecutive actions. If it throws, each of them is delivered again by itself.
  public typealias BatchHandler = @Sendable ([Delivery<M.Action>]) async throws -> Void

  private let loop: DeliveryLoop<Delivery<M.Action>>

  /// Creates a subscription. Nothing is opened before it runs.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``SubscriptionStore/check(_:)``.
  ///   - path: The log's directory.
  ///   - start: Where its first run begins. Later runs continue at the stored position, unless the handler stores it.
  ///   - order: Whether actions of different keys are delivered at the same time.
  ///   - configuration: Filters, retries, and how often the position is stored.
  ///   - fileSystem: The file system of the log.
  ///   - handler: Handles an action.
  /// - Throws: `LogError.Code.invalidArgument` for an invalid name, or for a handler that stores the position of actions that are not in
  ///   the order of the log; ``EventSourcingError/Code/brokenEvolution``.
  public convenience init(
    named name: String, at path: String, from start: SubscriptionStart = .beginning,
    order: DeliveryOrder<M.Action> = .ofLog,
    configuration: SubscriptionConfiguration = SubscriptionConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    handler: @escaping Handler
  ) throws {
    try self.init(
      named: name, at: path, start: start, order: order, batch: 1, configuration: configuration,
      fileSystem: fileSystem
    ) { deliveries in
      for delivery in deliveries { try await handler(delivery) }
    }
  }

  /// Creates a subscription that delivers several actions at a time.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``SubscriptionStore/check(_:)``.
  ///   - path: The log's directory.
  ///   - start: Where its first run begins. Later runs continue at the stored position, unless the handler stores that of the last action:
  ///     a transaction for a batch costs as much as one for an action. If a batch fails, each action is delivered alone.
  ///   - configuration: Filters, retries, and how often the position is stored: at most once a call.
  ///   - fileSystem: The file system of the log.
  ///   - handler: Handles actions, in their order.
  ///   - limit: The number of actions of a call, at least 1. A call has fewer if no more are there.
  /// - Throws: `LogError.Code.invalidArgument` for an invalid name, ``EventSourcingError/Code/brokenEvolution``.
  public convenience init(
    named name: String, at path: String, from start: SubscriptionStart = .beginning, batchesOf limit: Int,
    configuration: SubscriptionConfiguration = SubscriptionConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    handler: @escaping BatchHandler
  ) throws {
    try self.init(
      named: name, at: path, start: start, order: .ofLog, batch: limit, configuration: configuration,
      fileSystem: fileSystem, handler: handler)
  }

  private init(
    named name: String, at path: String, start: SubscriptionStart, order: DeliveryOrder<M.Action>, batch: Int,
    configuration: SubscriptionConfiguration, fileSystem: any LogFileSystem, handler: @escaping BatchHandler
  ) throws {
    if case .resuming = start, order.key != nil {
      throw LogError(
        .invalidArgument, "no single position says which actions were handled if they are handled out of order",
        path: path,
        advice: "Deliver in the order of the log, or let the subscription store its position.")
    }
    var plan = DeliveryPlan(of: M.self, by: try RecordDecoder<M>(), handler)
    plan.batchLimit = max(1, batch)
    if let key = order.key { plan.key = key }
    plan.width = order.width
    loop = try DeliveryLoop(
      named: name, at: path, fileSystem: fileSystem, start: start, configuration: configuration, plan: plan
    ) { header in try header.check(model: M.name, path: path) }
  }

  /// The name of the subscription.
  public var name: String { loop.name }

  /// Delivers everything from the position on, and then new actions as they come, until the task is canceled.
  ///
  /// Cancellation ends it between two deliveries, or after the running handlers, stores the position, and makes this function return.
  ///
  /// - Throws: ``EventSourcingError`` with code `deliveryFailed` if a delivery failed and the policy is to stop, `positionMismatch` for a
  ///   position of another log, `invalidPosition` for a damaged one; `LogError` with code `locked` if another consumer holds the
  ///   subscription, `damaged` if the log cannot be read further, `notFound` if the log was removed in the meantime,
  ///   `noSpace` or `inputOutput` if the position cannot be stored. Everything before the stored position was handled, whatever the error.
  public func run() async throws { try await loop.run(endsWhenCaughtUp: false) }

  /// Delivers everything that is durable now, and returns when there is no more.
  ///
  /// - Throws: As ``run()``.
  public func catchUp() async throws { try await loop.run(endsWhenCaughtUp: true) }

  /// Checks the log at once, instead of after a pause: for a program that has just appended an action.
  public func wake() { loop.wake.notify() }
}

extension DeliveryPlan {
  /// Delivers the actions of a model.
  init<M: Model>(
    of model: M.Type, by decoder: RecordDecoder<M>, _ handler: @escaping Subscription<M>.BatchHandler
  ) where Payload == Delivery<M.Action> {
    self.init { record in
      let decoded = try decoder.actions(of: record)
      // An upcaster dropped it, or the model keeps its unknown type.
      guard !decoded.actions.isEmpty else { return nil }
      return Delivery(recorded: try RecordedAction(record, decoded))
    } handle: { attempts in
      try await handler(
        attempts.map { attempt in
          var delivery = attempt.payload
          delivery.attempt = attempt.number
          delivery.position = attempt.position
          return delivery
        })
    }
  }
}

extension LogHeader {
  func check(model name: String, path: String) throws(LogError) {
    guard model != name else { return }
    throw LogError(
      .wrongModel, "the log is of model '\(model)', not of '\(name)'", path: path,
      advice: "Use the program or the model that wrote it.")
  }
}

/// The point at which a subscription without a position begins.
public enum SubscriptionStart: Sendable, Equatable {
  /// With the first action.
  case beginning
  /// With the first action that is appended after the subscription first ran.
  case end
  /// With the action of this revision, from 1.
  case revision(Int)
  /// With the first action that was recorded at or after a time.
  case time(LogTime)
  /// After the position that the handler has stored, in the same transaction as its own changes, or at another point if it has none.
  ///
  /// Then each action has its effect exactly once: after a crash, either both the changes and ``Delivery/position`` are in the handler's
  /// database, or none of them. The stored position of the subscription is only informative.
  indirect case resuming(after: SubscriptionPosition?, or: SubscriptionStart = .beginning)

  func position(in reader: LogReader) throws(LogError) -> SubscriptionPosition {
    switch self {
    case .resuming(let position?, _): return position
    case .resuming(nil, let start): return try start.position(in: reader)
    case .beginning: return .beginning(of: reader.header.log)
    case .end:
      let extent = try reader.extent()
      if let damage = extent.ending.damage { throw damage }
      // Later actions are not durable yet: the writer may discard them and write others.
      let durable = try Self.durableRevision(of: reader, upTo: extent.lastRevision)
      return try .at(durable, of: reader)
    case .revision(let revision):
      guard revision >= 1 else {
        throw LogError(
          .revisionOutOfRange, "a subscription cannot begin with revision \(revision)", path: reader.path,
          advice: "The first action has revision 1.")
      }
      return try .at(revision - 1, of: reader)
    case .time(let time):
      // No action is earlier than the earliest time.
      guard time > .earliest else { return .beginning(of: reader.header.log) }
      return try .at(reader.lastRevision(atOrBefore: time.advanced(by: .microseconds(-1))), of: reader)
    }
  }

  private static func durableRevision(of reader: LogReader, upTo last: Int) throws(LogError) -> Int {
    var follower = try reader.follower(from: last)
    while true {
      do throws(LogError) {
        if try follower.poll().isEmpty { return min(last, follower.durableRevision) }
      } catch {
        // The writer discarded actions that were not durable, and the follower continues before them.
        guard error.code == .rejected else { throw error }
      }
    }
  }
}

/// The order of deliveries.
public struct DeliveryOrder<Action: Sendable>: Sendable {
  let key: (@Sendable (Delivery<Action>) -> DeliveryKey)?
  let width: Int

  /// One action after the other, in the order of the log.
  public static var ofLog: DeliveryOrder { DeliveryOrder(key: nil, width: 1) }

  /// Actions of different keys at the same time, those with the same key one after the other.
  ///
  /// The position stays before the first action that is not handled. After a crash, the actions after it are delivered again.
  ///
  /// - Parameters:
  ///   - key: Returns the key of an action, for instance an order's identifier. It must return the same key every time.
  ///   - width: The number of handlers at a time, from 1 to 1 000.
  public static func ordered<Key: Hashable & Sendable>(
    by key: @escaping @Sendable (Delivery<Action>) -> Key, width: Int
  ) -> DeliveryOrder {
    DeliveryOrder(key: { delivery in DeliveryKey(key(delivery)) }, width: min(max(1, width), 1_000))
  }
}

/// An action that a ``Subscription`` hands to its handler.
public struct Delivery<Action: Sendable>: Sendable {
  /// The recorded action.
  public let recorded: RecordedAction<Action>
  /// The number of the attempt, from 1, those of earlier runs included as far as they ended with an error.
  public internal(set) var attempt = 1
  /// The position after this action, for a handler that stores it in its own transaction.
  public internal(set) var position = SubscriptionPosition(log: "", revision: 0, crc: 0)

  init(recorded: RecordedAction<Action>) { self.recorded = recorded }

  /// The action; `nil` if an upcaster replaced it with several (``actions``).
  public var action: Action? { recorded.action }
  /// The actions: usually one, several if an upcaster replaced the recorded one.
  public var actions: [Action] { recorded.actions }
  /// The revision that the action led to.
  public var revision: Int { recorded.revision }
  /// The time at which it was recorded.
  public var time: LogTime { recorded.time }
  /// Its metadata.
  public var meta: RecordMeta { recorded.meta }

  /// The text `LOG/REVISION`, the same for every delivery of this action: a key by which a receiver recognizes repetitions.
  ///
  /// It is also the `id` of the action's CloudEvent.
  public var id: String { "\(position.log)/\(recorded.revision)" }
}
