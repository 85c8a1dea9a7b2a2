import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
import ImmutableData

extension Family {
  /// Actions in memory to bytes that the system has: encoding, checksum, `write`. No call waits for the device: one
  /// segment holds everything, because beginning another one makes the last one durable.
  @MainActor static func appendingUnsynced(_ data: DataSet, _ peers: Peers) -> Family {
    let count = data.sizes.appendedActions
    func peer(_ name: String, _ program: String) -> Contender {
      peers.contender(Name.appendUnsynced(name), unit: "action", count: count, peer: program, task: "append") {
        [try data.log(data.sizes.lineActions), "\(count)", try data.scratch("peer"), "none"]
      }
    }
    return Family(
      "append, no sync",
      [
        Contender(
          Name.appendUnsynced("Codable"), unit: "action", count: count, agreement: "append", takesMemory: true
        ) {
          let actions = try data.accepted(data.sizes.lineActions).map(CodableAction.init)
          return try unsynced(actions, count: count, data)
        },
        Contender(Name.appendUnsynced("direct"), unit: "action", count: count, agreement: "append", takesMemory: true) {
          try unsynced(try data.accepted(data.sizes.lineActions), count: count, data)
        }.ifDirect,
        Contender(Name.appendUnsynced("direct, salted"), unit: "action", count: count) {
          try unsynced(try data.accepted(data.sizes.lineActions), count: count, data, redactable: true)
        }.ifDirect,
        peer("SQLite", "sqlite"), peer("Node", "node"),
      ])
  }

  @MainActor private static func unsynced<Action: Codable & Sendable>(
    _ actions: [Action], count: Int, _ data: DataSet, redactable: Bool = false
  ) throws -> Contender.Work {
    let writer = try AppendRound.writer(
      try data.scratch("append"),
      LogConfiguration(durability: .written, segmentLimitBytes: 1 << 40, redactable: redactable))
    return {
      let clock = ContinuousClock()
      let begin = clock.now
      var appender = ActionAppender<Action>(writer)
      var last: LogTicket?
      try AppendRound.each(of: actions, count: count) { index, action in
        last = try appender.buffer(action, time: AppendRound.time(at: index))
      }
      if let last { try await writer.receipt(for: last) }
      let time = (clock.now - begin).nanoseconds
      let crc = writer.status.lastCRC
      // Closing makes the log durable, which no peer does.
      try writer.closeNow()
      // Salts are random, so that no two rounds have the same checksums.
      return RoundResult(hash: UInt64(redactable ? UInt32(count) : crc), nanoseconds: time)
    }
  }

  /// One producer that never waits for a sync, each action a unit of its own; the time ends when the last is durable.
  @MainActor static func appendingPipelined(_ data: DataSet) -> Family {
    let count = data.sizes.appendedActions
    func contender(_ name: String, addedToSync delay: Duration = .zero, redactable: Bool = false) -> Contender {
      Contender(name, unit: "action", count: count, agreement: "pipeline") {
        let actions = try data.accepted(data.sizes.lineActions)
        let fileSystem = SlowFileSystem(POSIXFileSystem(), addedToSync: delay)
        let writer = try AppendRound.writer(
          try data.scratch("append"), LogConfiguration(durability: .synced, redactable: redactable),
          fileSystem: fileSystem)
        sync()
        return {
          var appender = ActionAppender<AnimalsAction>(writer)
          try AppendRound.each(of: actions, count: count) { index, action in
            try appender.enqueue(action, time: AppendRound.time(at: index))
          }
          try await writer.sync()
          let status = writer.status
          try await writer.close()
          // Not the checksum: lines say what was durable when they were made, which depends on the device.
          return RoundResult(hash: UInt64(status.lastRevision), metrics: ["syncs": Double(status.syncCount)])
        }
      }
    }
    return Family(
      "append, pipelined",
      [0, 1, 5].map { milliseconds in
        contender(Name.appendPipelined(milliseconds), addedToSync: .milliseconds(milliseconds))
      } + [contender(Name.appendPipelinedSalted, redactable: true)])
  }

  /// Batches of 1 000 actions, each durable before the next.
  @MainActor static func appendingThousands(_ data: DataSet, _ peers: Peers) -> Family {
    let count = data.sizes.lineActions
    func peer(_ name: String, _ program: String) -> Contender {
      peers.contender(Name.appendThousands(name), unit: "action", count: count, peer: program, task: "append") {
        [try data.log(data.sizes.lineActions), "\(count)", try data.scratch("peer"), "1000"]
      }
    }
    return Family(
      "append, sync each 1 000",
      [
        Contender(Name.appendThousands("bare calls"), unit: "action", count: count) {
          let lines = try data.lines(count)
          let batches = stride(from: 0, to: lines.count, by: 1_000).map { first in
            Array(lines[first..<min(first + 1_000, lines.count)].joined())
          }
          let file = try BareFile(creating: try data.scratch("bare"))
          sync()
          return {
            for batch in batches { try file.appendAndSynchronize(batch) }
            return RoundResult(hash: UInt64(count))
          }
        },
        Contender(Name.appendThousands("ours"), unit: "action", count: count) {
          let actions = try data.accepted(data.sizes.lineActions)
          let writer = try AppendRound.writer(try data.scratch("append"), LogConfiguration(durability: .written))
          sync()
          return {
            var appender = ActionAppender<AnimalsAction>(writer)
            try AppendRound.each(of: actions, count: count) { index, action in
              try appender.buffer(action, time: AppendRound.time(at: index))
              if index % 1_000 == 999 { try writer.syncNow() }
            }
            try writer.syncNow()
            let last = writer.status.lastRevision
            try writer.closeNow()
            return RoundResult(hash: UInt64(last))
          }
        },
        peer("SQLite", "sqlite"), peer("Node", "node"), peer("Redis", "redis"),
      ])
  }

  /// One action after the other, each durable before the next; the bare calls write the very same bytes.
  @MainActor static func appendingEach(_ data: DataSet, _ peers: Peers) -> Family {
    let count = data.sizes.syncedActions
    func peer(_ name: String, _ program: String) -> Contender {
      peers.contender(Name.appendEach(name), unit: "action", count: count, peer: program, task: "append") {
        [try data.log(data.sizes.lineActions), "\(count)", try data.scratch("peer"), "1"]
      }
    }
    return Family(
      "append, sync each",
      [
        Contender(Name.appendEach("bare calls"), unit: "action", count: count) {
          let lines = try data.lines(count)
          let file = try BareFile(creating: try data.scratch("bare"))
          sync()
          return {
            let times = try Stopwatch.times(count) { index in try file.appendAndSynchronize(lines[index]) }
            return RoundResult(hash: UInt64(count), metrics: times.percentiles)
          }
        },
        Contender(Name.appendEach("ours"), unit: "action", count: count) {
          let actions = try data.accepted(data.sizes.lineActions)
          let writer = try AppendRound.writer(try data.scratch("append"), LogConfiguration(durability: .synced))
          sync()
          return {
            let before = writer.status.syncCount
            var appender = ActionAppender<AnimalsAction>(writer)
            let times = try Stopwatch.times(count) { index in
              try appender.appendNow(actions[index], time: AppendRound.time(at: index))
            }
            let status = writer.status
            try writer.closeNow()
            var metrics = times.percentiles
            metrics["syncsPerBatch"] = Double(status.syncCount - before) / Double(count)
            return RoundResult(hash: UInt64(status.lastRevision), metrics: metrics)
          }
        },
        Contender(Name.appendEach("ours, awaited"), unit: "action", count: count) {
          let coder = ActionCoder<AnimalsAction>()
          let actions = try data.accepted(data.sizes.lineActions)
          let writer = try AppendRound.writer(try data.scratch("append"), LogConfiguration(durability: .synced))
          sync()
          return {
            for index in 0..<count {
              try await writer.append([
                LogDraft(try coder.encode(actions[index]), time: AppendRound.time(at: index))
              ])
            }
            let last = writer.status.lastRevision
            try await writer.close()
            return RoundResult(hash: UInt64(last))
          }
        },
        peer("SQLite", "sqlite"), peer("Node", "node"), peer("Redis", "redis"),
      ])
  }

  /// The whole way: a store that is dispatched into, a recorder that listens, until everything is durable.
  @MainActor static func recording(_ data: DataSet) -> Family {
    let count = data.sizes.updates / 5
    return Family(
      "recorder",
      [
        Contender(Name.recorder, unit: "action", count: count) {
          let table = try UpdateStory(data, entities: data.sizes.someEntities, updates: count)
          let path = try data.scratch("recorder")
          var configuration = RecordingConfiguration<UpdateModel>(snapshots: .never)
          configuration.log.environment = .reproducible
          let recorder = try await Recorder<UpdateModel>.open(
            at: path, startingAt: table.state, configuration: configuration)
          let store = try recorder.makeStore()
          sync()
          return {
            for action in table.actions { try store.dispatch(action: action) }
            try await recorder.sync()
            let crc = recorder.logStatus.lastRevision
            try await recorder.close()
            return RoundResult(hash: UInt64(crc))
          }
        }
      ])
  }
}
