import ActionLog
import ActionLogMaintenance
import AnimalsData
import BenchmarkKit
import Foundation

extension Family {
  /// The tree over the lines of a log, checkpoints of new lines, and proofs of single ones.
  @MainActor static func evidence(_ data: DataSet) -> Family {
    let sizes = data.sizes
    return Family(
      "evidence",
      [
        tree(Name.tree("plain"), sizes.logActions) { try data.provedLog(sizes.logActions) },
        tree(Name.tree("salted"), sizes.lineActions) { try data.saltedLog(sizes.lineActions) },
        checkpoint(data),
        proof(data),
      ])
  }

  /// Builds the tree of a log with a checkpoint from its lines, as `verify --checkpoint` does: every line is parsed, its checksum
  /// and its place in the chain are checked, and its entry is hashed.
  @MainActor private static func tree(
    _ name: String, _ actions: Int, _ log: @escaping @MainActor () throws -> String
  ) -> Contender {
    Contender(name, unit: "line", count: actions) {
      let path = try log()
      guard let checkpoint = try EvidenceStore(log: path).newestCheckpoint()?.checkpoint else {
        throw HarnessError("the log of the data set has no checkpoint")
      }
      return {
        let verdict = try CheckpointComparison(log: path).verdict(on: checkpoint)
        guard verdict == .extends(more: 0) else { throw HarnessError("the log of the data set changed: \(verdict)") }
        return RoundResult(hash: UInt64(checkpoint.size))
      }
    }
  }

  /// Brings the tiles up to date with new lines and stores a checkpoint, with all syncs.
  @MainActor private static func checkpoint(_ data: DataSet) -> Contender {
    let (old, new) = (data.sizes.lineActions, data.sizes.lineActions / 10)
    return Contender(Name.checkpoint, unit: "line", count: new) {
      let path = try data.growingLog(from: old, by: new)
      let proofs = path + "/proofs"
      if FileManager.default.fileExists(atPath: proofs) { try FileManager.default.removeItem(atPath: proofs) }
      try FileManager.default.copyItem(atPath: path + "/proofs-before", toPath: proofs)
      sync()
      let store = EvidenceStore(log: path)
      return {
        let (begin, work) = (SystemClock.now, SystemClock.ofThread)
        let tree = try store.update()
        let stored = try store.store(
          SignedCheckpoint(
            Checkpoint(origin: DataSet.origin(try LogReader.open(at: path)), size: tree.size, root: tree.root)))
        let (end, worked) = (SystemClock.now, SystemClock.ofThread)
        // The writer that appended the new lines adds control records.
        guard (new...new + 100).contains(tree.linesRead) else {
          throw HarnessError("\(tree.linesRead) lines were read, and not \(new)")
        }
        return RoundResult(
          nanoseconds: end - begin,
          metrics: ["roundNanoseconds": end - begin, "processorNanoseconds": worked - work]
        ) { stored.encoded.fnv }
      }
    }
  }

  /// Finds actions in the long log and proves them, each as `prove` does after its start. A proof is verified before it counts.
  @MainActor private static func proof(_ data: DataSet) -> Contender {
    let seeks = data.sizes.seeks
    return Contender(Name.proof, unit: "proof", count: seeks) {
      let path = try data.provedLog(data.sizes.logActions)
      let places = data.places(seeks)
      return {
        var hash: UInt64 = 0
        let times = try Stopwatch.times(seeks) { index in
          let line = try LogReader.open(at: path).record(at: places[index]).rawLine
          let store = EvidenceStore(log: path)
          guard let checkpoint = try store.newestCheckpoint(),
            let found = try store.index(ofLine: line, from: places[index])
          else { throw HarnessError("the tiles do not have action \(places[index])") }
          hash &+= UInt64(try store.proof(ofLine: line, index: found, checkpoint: checkpoint).path.count)
        }
        return RoundResult(hash: hash, metrics: times.percentiles)
      }
    }
  }
}

extension DataSet {
  /// The default origin of a log.
  static func origin(_ reader: LogReader) -> String { Checkpoint.origin(ofLog: reader.header.log) }

  /// The log of so many actions, with tiles and a checkpoint of all its lines.
  func provedLog(_ count: Int) throws -> String {
    let log = try log(count)
    return try file("proved-\(count)") { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: log) where !name.hasPrefix("snapshots") {
        try FileManager.default.copyItem(atPath: "\(log)/\(name)", toPath: "\(path)/\(name)")
      }
      try Self.addCheckpoint(to: path)
    }
  }

  /// A redactable log of so many actions, with tiles and a checkpoint of all its lines.
  func saltedLog(_ count: Int) throws -> String {
    let actions = try accepted(count)
    return try file("salted-\(count)") { path in
      let recording = try LogRecording(
        path, model: AnimalsModel.name, schema: AnimalsModel.schema, redactable: true)
      for action in actions { try recording.append(action) }
      try recording.close()
      try Self.addCheckpoint(to: path)
    }
  }

  /// A log that grew after its checkpoint. `proofs-before` is a copy of its tiles from before that.
  func growingLog(from old: Int, by new: Int) throws -> String {
    let actions = try accepted(old + new)
    return try file("growing-\(old)") { path in
      for range in [0..<old, old..<old + new] {
        let recording = try LogRecording(path, model: AnimalsModel.name, schema: AnimalsModel.schema)
        for action in actions[range] { try recording.append(action) }
        try recording.close()
        guard range.lowerBound == 0 else { continue }
        try Self.addCheckpoint(to: path)
        try FileManager.default.moveItem(atPath: path + "/proofs", toPath: path + "/proofs-before")
      }
    }
  }

  private static func addCheckpoint(to path: String) throws {
    let store = EvidenceStore(log: path)
    let tree = try store.update()
    _ = try store.store(
      SignedCheckpoint(
        Checkpoint(origin: origin(try LogReader.open(at: path)), size: tree.size, root: tree.root)))
  }
}
