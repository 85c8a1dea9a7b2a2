import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation

extension Family {
  /// Delivering a log to a handler that does nothing, and the time from an append to its handler.
  @MainActor static func subscriptions(_ data: DataSet) -> Family {
    let (long, short) = (data.sizes.lineActions, data.sizes.syncedActions)
    return Family(
      "subscriptions",
      [
        delivery(Name.deliver(1_000), long, .every(1_000), data), delivery(Name.deliver(1), short, .everyAction, data),
        Contender(Name.deliveryWriter, unit: "action", count: data.sizes.deliveredActions) {
          let write = try DeliveryRound.writing(data)
          return { try await write {} }
        },
        Contender(Name.deliveryLatency("same process"), unit: "action", count: data.sizes.deliveredActions) {
          let write = try DeliveryRound.writing(data)
          return { try await DeliveryRound.latencies(data) { wake in _ = try await write(wake) } }
        },
        Contender(Name.deliveryLatency("another process"), unit: "action", count: data.sizes.deliveredActions) {
          var arguments = ["round", Name.deliveryWriter, "--data", data.directory]
          if data.sizes == .smoke { arguments.append("--smoke") }
          _ = try data.scratch(DeliveryRound.log)
          let writer = ChildProcess(executable: ChildProcess.ownPath, arguments: arguments)
          return {
            try await DeliveryRound.latencies(data) { _ in
              // Waiting for a process blocks its thread.
              let result = Task.detached { try writer.result(RoundResult.self) }
              _ = try await result.value
            }
          }
        },
      ])
  }

  /// Delivers a complete log from its beginning, in every round again.
  @MainActor private static func delivery(
    _ name: String, _ count: Int, _ storing: PositionStoring, _ data: DataSet
  ) -> Contender {
    Contender(name, unit: "action", count: count) {
      let path = try data.log(count)
      return {
        let counter = DeliveryCounter()
        var configuration = SubscriptionConfiguration()
        configuration.storing = storing
        let subscription = try Subscription<AnimalsModel>(
          named: "benchmark", at: path, from: .resuming(after: nil), configuration: configuration
        ) { delivery in
          // The first and the last one are noted: a call of the counter for each would be most of the work.
          if delivery.revision == 1 || delivery.revision == count { await counter.note(delivery.revision) }
        }
        try await subscription.catchUp()
        let noted = await counter.revisions
        guard noted == [1, count] else { throw HarnessError("\(noted) were delivered, and not 1…\(count)") }
        return RoundResult(hash: UInt64(count))
      }
    }
  }
}

/// One round of appends that a subscription follows.
private enum DeliveryRound {
  /// The name of the log in the scratch folder.
  static let log = "delivery"
  /// The pause between two appends, longer than a sync: actions are followed one by one.
  private static let pace = Duration.milliseconds(10)

  typealias Wake = @Sendable () -> Void

  /// Prepares a writer that appends action by action, and calls a closure after each.
  @MainActor static func writing(_ data: DataSet) throws -> @MainActor (@escaping Wake) async throws -> RoundResult {
    let count = data.sizes.deliveredActions
    let drafts = try data.accepted(count).map { action in LogDraft(try ActionCoding.encode(action)) }
    let path = try data.scratch(log)
    return { wake in
      let writer = try LogWriter.open(
        at: path, model: AnimalsModel.name, schema: AnimalsModel.schema,
        configuration: LogConfiguration(durability: .synced))
      for draft in drafts {
        _ = try await writer.append([draft])
        wake()
        try await Task.sleep(for: pace)
      }
      try await writer.close()
      return RoundResult(hash: UInt64(count))
    }
  }

  /// Follows the log while it is written, and measures the time from the time of each record to its handler. It includes the sync.
  @MainActor static func latencies(
    _ data: DataSet, _ write: @MainActor (@escaping Wake) async throws -> Void
  ) async throws -> RoundResult {
    let path = "\(data.directory)/scratch-\(log)"
    let counter = DeliveryCounter()
    var configuration = SubscriptionConfiguration()
    configuration.storing = .every(1_000)
    let subscription = try Subscription<AnimalsModel>(named: "latency", at: path, configuration: configuration) {
      delivery in
      let microseconds = LogTime.now().microseconds - delivery.time.microseconds
      await counter.note(delivery.revision, nanoseconds: 1_000 * Double(max(0, microseconds)))
    }
    let following = Task {
      // The writer creates the log. Its first segment has this name.
      while !FileManager.default.fileExists(atPath: path + "/0000000000000001.jsonl") {
        try await Task.sleep(for: .milliseconds(1))
      }
      do { try await subscription.run() } catch {
        await counter.fail()
        throw error
      }
    }
    try await write { subscription.wake() }
    let count = data.sizes.deliveredActions
    while await counter.revisions.count < count {
      if await counter.isFailed { break }
      try await Task.sleep(for: .milliseconds(1))
    }
    following.cancel()
    try await following.value
    let times = await counter.times
    guard times.count == count else { throw HarnessError("\(times.count) of \(count) actions were delivered in order") }
    return RoundResult(nanoseconds: times.reduce(0, +), metrics: times.percentiles) { UInt64(times.count) }
  }
}

/// What was delivered.
private actor DeliveryCounter {
  private(set) var revisions: [Int] = []
  private(set) var times: [Double] = []
  /// Whether the subscription ended, or actions came out of order, which no wait would mend.
  private(set) var isFailed = false

  func fail() { isFailed = true }

  func note(_ revision: Int, nanoseconds: Double = 0) {
    if let last = revisions.last, revision <= last { isFailed = true }
    revisions.append(revision)
    times.append(nanoseconds)
  }
}
