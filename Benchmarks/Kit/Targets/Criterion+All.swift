extension Criterion {
  /// Every condition of every target, in the order of the table.
  ///
  /// - Parameter sizes: The sizes of the run; targets hold for the canonical ones.
  package static func all(_ sizes: Sizes) -> [Criterion] {
    coding + appending(sizes) + manyLogs(sizes) + scaleOut(sizes) + replaying(sizes) + maps(sizes) + traveling
      + coldQuestions + snapshots + care(sizes) + evidence(sizes) + subscriptions + inspecting(sizes)
  }

  private static let coding: [Criterion] = [
    Criterion(
      "D1", "decode, direct tier, over JSONDecoder", Name.decode("direct"),
      .speedup(over: Name.decode("JSONDecoder")), .atLeast(50)),
    Criterion("D1", "over Node JSON.parse", Name.decode("direct"), .speedup(over: Name.decode("Node")), .atLeast(3)),
    Criterion("D1", "over orjson.loads", Name.decode("direct"), .speedup(over: Name.decode("orjson")), .atLeast(2)),
    Criterion("D1", "over Python json.loads", Name.decode("direct"), .speedup(over: Name.decode("Python json"))),
    Criterion(
      "D1", "instructions a line", InstructionCount.measurementName("decode"),
      .metric("instructions", .count), .atMost(2_500)),
    Criterion(
      "D2", "decode, any Codable, over JSONDecoder", Name.decode("Codable"),
      .speedup(over: Name.decode("JSONDecoder")), .atLeast(3)),
    Criterion(
      "E1", "encode, direct tier, over JSONEncoder", Name.encode("direct"),
      .speedup(over: Name.encode("JSONEncoder")), .atLeast(45)),
    Criterion(
      "E1", "over Node JSON.stringify", Name.encode("direct"), .speedup(over: Name.encode("Node")), .atLeast(5)),
    Criterion("E1", "over orjson.dumps", Name.encode("direct"), .speedup(over: Name.encode("orjson")), .atLeast(2)),
    Criterion("E1", "over Python json.dumps", Name.encode("direct"), .speedup(over: Name.encode("Python json"))),
    Criterion(
      "E2", "encode, any Codable, over JSONEncoder", Name.encode("Codable"),
      .speedup(over: Name.encode("JSONEncoder")), .atLeast(9)),
    Criterion(
      "E2", "processes that gave other bytes", Name.encode("stability"),
      .metric("differingProcesses", .count), .atMost(0)),
  ]

  private static func manyLogs(_ sizes: Sizes) -> [Criterion] {
    [
      Criterion(
        "L1", "\(Figures.grouped(Double(sizes.manyLogs))) logs in turn, over syncing one after the other",
        Name.manyLogs("in turn"), .speedup(over: Name.manyLogs("one after the other"))),
      Criterion(
        "L1", "over the bare calls on as many threads, with a second file as HEAD, time", Name.manyLogs("in turn"),
        .slowdown(against: Name.manyLogs("bare calls on seven threads")), .atMost(2)),
      Criterion(
        "L2", "opening \(Figures.grouped(Double(sizes.manyLogs))) logs", Name.openLogs, .rate,
        .atLeast(500)),
      Criterion(
        "L3", "threads of up to \(Figures.grouped(Double(sizes.openLogs))) open logs", Name.keepLogsOpen,
        .metric("threads", .count), .atMost(8)),
      Criterion(
        "L3", "descriptors of each", Name.keepLogsOpen, .metric("descriptorsPerLog", .count), .atMost(2.1)),
      Criterion(
        "L3", "memory of each when it is idle, with a state of a few rows", Name.keepLogsOpen,
        .metric("bytesPerLog", .bytes), .atMost(65_536)),
      Criterion(
        "L3", "memory of each after an action in all of them", Name.keepLogsOpen, .metric("busyBytesPerLog", .bytes)),
      Criterion(
        "L3",
        "logs open at the same time, as many as the limit on descriptors allows",
        Name.keepLogsOpen, .metric("openLogs", .count)),
      Criterion(
        "L5", "dispatches to 500 logs in two tasks, on two processors over one", Name.dispatchToLogs(cores: 2),
        .speedup(over: Name.dispatchToLogs(cores: 1)), .atLeast(1.8)),
      Criterion(
        "L5", "median of a dispatch while the reducer of another log takes 100 ms, over alone", Name.slowNeighbor,
        .metric("medianRatio", .ratio), .atMost(1.1)),
    ]
      + [sizes.manyLogs / 10, sizes.manyLogs].flatMap { count in
        [
          Criterion(
            "L4", "each: a value of one of \(Figures.grouped(Double(count))) logs of 270 actions", Name.each(count),
            .time,
            .atMost(2e6)),
          Criterion("L4", "actions read", Name.each(count), .metric("actionsPerSecond", .perSecond)),
          Criterion(
            "L4", "the same logs in one process (`--jobs 0`), over each", Name.eachInProcess(count),
            .slowdown(against: Name.each(count))),
        ]
          + Name.sparkMasters.map { master in
            Criterion(
              "L4",
              "the same \(Figures.grouped(Double(count))) logs in Spark, \(master), without its start, over each",
              Name.eachInSpark(count, master), .slowdown(against: Name.each(count)))
          }
      }
      + spark(sizes)
  }

  private static func appending(_ sizes: Sizes) -> [Criterion] {
    [
      Criterion("A1", "append, crc on, no sync, direct", Name.appendUnsynced("direct"), .rate, .atLeast(3e6)),
      Criterion("A1", "append, crc on, no sync, Codable", Name.appendUnsynced("Codable"), .rate, .atLeast(0.8e6)),
      Criterion(
        "A1", "direct, with a salt in each line, over direct", Name.appendUnsynced("direct, salted"),
        .speedup(over: Name.appendUnsynced("direct")), .atLeast(0.85)),
      Criterion(
        "A1", "direct over SQLite (journal off, sync off, batches of 10 000)", Name.appendUnsynced("direct"),
        .speedup(over: Name.appendUnsynced("SQLite")), .atLeast(2)),
      Criterion(
        "A1", "direct over Node (one write for 5 000)", Name.appendUnsynced("direct"),
        .speedup(over: Name.appendUnsynced("Node")), .atLeast(4)),
      Criterion("A2", "durable, pipelined, one producer", Name.appendPipelined(0), .rate, .atLeast(2.5e6)),
      Criterion("A2", "with 1 ms added to each sync", Name.appendPipelined(1), .rate, .atLeast(2e6)),
      Criterion("A2", "with 5 ms added to each sync", Name.appendPipelined(5), .rate, .atLeast(1e6)),
      Criterion(
        "A2", "durable, with a salt in each line, over without", Name.appendPipelinedSalted,
        .speedup(over: Name.appendPipelined(0))),
      Criterion("A2", "dispatched into a store with a Recorder", Name.recorder, .rate),
      Criterion(
        "A3", "sync each 1 000, over SQLite WAL FULL", Name.appendThousands("ours"),
        .speedup(over: Name.appendThousands("SQLite")), .atLeast(2)),
      Criterion(
        "A3", "over bare write + fdatasync of the same bytes, time", Name.appendThousands("ours"),
        .slowdown(against: Name.appendThousands("bare calls")), .atMost(2)),
      Criterion(
        "A3", "over Node", Name.appendThousands("ours"), .speedup(over: Name.appendThousands("Node")),
        .atLeast(2.5)),
      Criterion(
        "A3", "over Redis appendfsync always", Name.appendThousands("ours"),
        .speedup(over: Name.appendThousands("Redis"))),
      Criterion(
        "A4", "sync each: median latency over that of bare write + fdatasync", Name.appendEach("ours"),
        .metricRatio("medianNanoseconds", .nanoseconds, to: Name.appendEach("bare calls")), .atMost(1.4)),
      Criterion(
        "A4", "syncs for each acknowledged batch", Name.appendEach("ours"),
        .metric("syncsPerBatch", .count), .atMost(1)),
      Criterion(
        "A4", "the same, awaited: `append` at the level `synced`", Name.appendEach("ours, awaited"),
        .slowdown(against: Name.appendEach("bare calls"))),
      Criterion("A4", "over SQLite WAL FULL", Name.appendEach("ours"), .speedup(over: Name.appendEach("SQLite"))),
      Criterion("A4", "over Node", Name.appendEach("ours"), .speedup(over: Name.appendEach("Node"))),
      Criterion(
        "A4", "over Redis appendfsync always", Name.appendEach("ours"),
        .speedup(over: Name.appendEach("Redis"))),
    ]
  }

  private static func replaying(_ sizes: Sizes) -> [Criterion] {
    let (small, large) = (sizes.fewEntities, sizes.manyEntities)
    return [
      Criterion("R1", "replay, crc checked, direct, one core", Name.replay("direct, one core"), .rate, .atLeast(1.3e6)),
      Criterion(
        "R1", "one core, over Node with a mutable map", Name.replay("direct, one core"),
        .speedup(over: Name.replay("Node"))),
      Criterion(
        "R1", "one core, over JSONDecoder and a fold in place", Name.replay("direct, one core"),
        .speedup(over: Name.replay("JSONDecoder")), .atLeast(18)),
      Criterion(
        "R1", "direct, decoding ahead on a second core, the default", Name.replay("direct, all cores"), .rate,
        .atLeast(1.8e6)),
      Criterion(
        "R1", "decoding ahead, the default, over Node with a mutable map", Name.replay("direct, all cores"),
        .speedup(over: Name.replay("Node")), .atLeast(4)),
      Criterion(
        "R1", "one core, with a salt in each line, over without", Name.replay("direct, salted, one core"),
        .speedup(over: Name.replay("direct, one core"))),
      Criterion(
        "R4", "projection: catch-up over plain replay", Name.projection,
        .slowdown(against: Name.replay("direct, all cores")), .atMost(1.25)),
      Criterion(
        "R4",
        "projection following a recorder, rebuilt from \(Figures.grouped(Double(sizes.logActions))) actions: lag, p99",
        Name.liveProjection, .metric("p99Nanoseconds", .nanoseconds)),
      Criterion("R4", "its median", Name.liveProjection, .metric("medianNanoseconds", .nanoseconds)),
      Criterion(
        "R4", "actions dispatched, of 100 k/s wanted", Name.liveProjection, .metric("actionsPerSecond", .perSecond)),
      Criterion("R4", "peak memory", Name.liveProjection, .metric("peakMebibytes", .mebibytes)),
      Criterion("R2", "replay, any Codable, one core", Name.replay("Codable, one core"), .rate, .atLeast(0.3e6)),
      Criterion(
        "R2", "replay, any Codable, decoding ahead on a second core, the default", Name.replay("Codable, all cores"),
        .rate, .atLeast(0.45e6)),
      Criterion(
        "R2", "one core, over JSONDecoder and a fold in place", Name.replay("Codable, one core"),
        .speedup(over: Name.replay("JSONDecoder")), .atLeast(3)),
      Criterion(
        "R2", "one core, over Node with a mutable map", Name.replay("Codable, one core"),
        .speedup(over: Name.replay("Node"))),
      Criterion(
        "R2", "decoding ahead, the default, over Node with a mutable map", Name.replay("Codable, all cores"),
        .speedup(over: Name.replay("Node")), .atLeast(1.3)),
      Criterion(
        "R3", "over a Redux reducer that copies (Node), \(Figures.grouped(Double(sizes.someEntities))) entities",
        Name.fold(sizes.someEntities, "replay"), .speedup(over: Name.fold(sizes.someEntities, "Node, copying")),
        .atLeast(1_000)),
      Criterion(
        "R3", "over a Redux reducer that copies (Node), \(Figures.grouped(Double(large))) entities",
        Name.fold(large, "replay"), .speedup(over: Name.fold(large, "Node, copying")), .atLeast(10_000)),
      Criterion(
        "R3", "over a Dictionary that is copied, \(Figures.grouped(Double(large))) entities",
        Name.fold(large, "replay"), .speedup(over: Name.fold(large, "Dictionary, copying"))),
      Criterion(
        "F1", "many entities over few: replay", Name.fold(large, "replay"),
        .slowdown(against: Name.fold(small, "replay")), .atMost(3)),
      Criterion(
        "F1", "many entities over few: store", Name.fold(large, "store"),
        .slowdown(against: Name.fold(small, "store")), .atMost(4)),
      Criterion(
        "F1", "many entities over few: recording store", Name.fold(large, "recording store"),
        .slowdown(against: Name.fold(small, "recording store")), .atMost(4)),
    ]
  }

  private static func maps(_ sizes: Sizes) -> [Criterion] {
    let large = sizes.manyEntities
    return [
      Criterion(
        "P1", "unshared update, over Dictionary's time", Name.map("update", large, "TreeDictionary"),
        .slowdown(against: Name.map("update", large, "Dictionary")), .atMost(2.25)),
      Criterion(
        "P1", "update that keeps every version, over swift-collections' time",
        Name.map("update and keep", large, "TreeDictionary"),
        .slowdown(against: Name.map("update and keep", large, "swift-collections")), .atMost(0.85)),
      Criterion(
        "P1", "and its bytes", Name.map("update and keep", large, "TreeDictionary"),
        .metricRatio("bytesPerVersion", .bytes, to: Name.map("update and keep", large, "swift-collections")),
        .atMost(0.5)),
    ]
  }
}
