import BenchmarkKit

/// Contenders that are measured against each other, round by round.
struct Family {
  var name: String
  var contenders: [Contender]

  init(_ name: String, _ contenders: [Contender]) {
    self.name = name
    self.contenders = contenders
  }

  /// All families of the table of targets, in the order in which they are measured.
  @MainActor static func all(_ data: DataSet, _ peers: Peers) -> [Family] {
    [
      decoding(data, peers), encoding(data, peers),
      appendingUnsynced(data, peers), appendingPipelined(data), appendingThousands(data, peers),
      appendingEach(data, peers), recording(data), manyLogs(data), asking(data, peers), scaleOut(data, peers),
      replaying(data, peers), liveProjection(data), folding(data, peers), maps(data, peers),
      traveling(data), coldQuestions(data), snapshots(data), care(data), evidence(data), subscriptions(data),
      inspecting(data),
    ]
  }
}
