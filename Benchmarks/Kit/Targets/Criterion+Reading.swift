// The conditions about reading, checking and showing logs, and about many of them.

extension Criterion {
  static let traveling: [Criterion] = [
    Criterion(
      "T1", "state(at:) anywhere, warm, p99, direct", Name.seek, .metric("p99Nanoseconds", .nanoseconds),
      .atMost(1.5e6)),
    Criterion(
      "T1", "state(at:) anywhere, warm, p99, Codable", Name.seek + ", Codable",
      .metric("p99Nanoseconds", .nanoseconds), .atMost(5e6)),
    Criterion("T1", "keyframes, bytes for each action", Name.seek, .metric("bytesPerAction", .bytes), .atMost(512)),
    Criterion("T1", "one step either way, p99", Name.step, .metric("p99Nanoseconds", .nanoseconds), .atMost(100e3)),
    Criterion("T1", "finding a line by its number", Name.find, .time, .atMost(50e3)),
    Criterion("T2", "diff of neighbors, 100 000 entities", Name.diff, .time, .atMost(1e6)),
    Criterion("T2", "blame of a pointer, warm", Name.blame, .time, .atMost(1e9)),
    Criterion("T2", "bisect, warm", Name.bisect, .time, .atMost(100e6)),
    Criterion("T2", "actions by a condition on the state, cold", Name.filterByState, .rate),
    Criterion("T2", "actions by the value that they changed, cold", Name.filterByTouch, .rate),
    Criterion("T2", "the last action, cold", Name.lastAction, .time),
  ]

  /// Questions to the tool, each in a process of its own.
  static let coldQuestions: [Criterion] =
    [
      ("blame", "blame of a value that changed once", Limit.atMost(150e6)), ("history", "history of it", nil),
      ("find", "find where it exists", nil), ("list --type", "list --type", nil),
      ("list --touching", "list --touching it", nil),
    ].flatMap { question, title, limit in
      [
        Criterion(
          "T2", "action-log \(title)", Name.tool(question), .metric("roundNanoseconds", .nanoseconds), limit),
        Criterion("T2", "its processor time", Name.tool(question), .metric("processorNanoseconds", .nanoseconds)),
      ]
    } + firstQuestions + [
      Criterion(
        "T3", "action-log list as text, over its lines", Name.tool("list"),
        .slowdown(against: Name.tool("list --format lines")), .atMost(2)),
      Criterion(
        "T3", "report of 10 000 actions: bytes over those of the lines", Name.tool("report"),
        .metric("bytesOverLines", .ratio), .atMost(3)),
      Criterion("T3", "its time", Name.tool("report"), .metric("roundNanoseconds", .nanoseconds)),
      Criterion("T3", "step of the screen of tui, at the end", Name.tool("tui"), .time, .atMost(50e6)),
      Criterion("T3", "its processor time", Name.tool("tui"), .metric("stepProcessorNanoseconds", .nanoseconds)),
      Criterion(
        "T3", "step of the screen of tui, compared with an early state", Name.tool("tui, compared"), .time,
        .atMost(50e6)),
      Criterion(
        "T3", "its processor time", Name.tool("tui, compared"), .metric("stepProcessorNanoseconds", .nanoseconds)),
    ]

  /// Questions that nothing of earlier ones helps. A range begins with the load of a snapshot, and its end is compared with one.
  private static let firstQuestions: [Criterion] =
    [
      ("blame", "the first question about a value, which makes the index", 1.7),
      ("list --where", "list --where of a condition that holds at the end only", 1),
      ("find", "find of a condition that holds at the end only", 1), ("compat", "compat", 1.7),
    ].flatMap { question, title, least in
      [
        Criterion(
          "T2", title, Name.firstQuestion(question, "all cores"), .metric("roundNanoseconds", .nanoseconds)),
        Criterion(
          "T2", "with all processors, over one", Name.firstQuestion(question, "all cores"),
          .speedup(over: Name.firstQuestion(question, "one core")), .atLeast(least)),
      ]
    }

  static func spark(_ sizes: Sizes) -> [Criterion] {
    Name.sparkMasters.map { master in
      Criterion(
        "L4", "start of Spark, \(master)", Name.eachInSpark(sizes.manyLogs, master),
        .metric("startNanoseconds", .nanoseconds))
    }
      + Name.sparkMasters.map { master in
        Criterion(
          "L4", "actions read in Spark, \(master), \(Figures.grouped(Double(sizes.manyLogs))) logs",
          Name.eachInSpark(sizes.manyLogs, master), .metric("actionsPerSecond", .perSecond))
      }
  }

  static func scaleOut(_ sizes: Sizes) -> [Criterion] {
    [
      Criterion(
        "L6", "types per day of \(Figures.grouped(Double(sizes.logActions))) actions in Spark, from JSON Lines",
        Name.typesPerDay("Spark"), .metric("roundNanoseconds", .nanoseconds)),
      Criterion(
        "L6", "in Spark, from Parquet", Name.typesPerDay("Spark"), .metric("parquetNanoseconds", .nanoseconds)),
      Criterion(
        "L6", "writing Parquet in Spark", Name.typesPerDay("Spark"),
        .metric("writingParquetNanoseconds", .nanoseconds)),
      Criterion(
        "L6", "in DuckDB, from JSON Lines", Name.typesPerDay("DuckDB"), .metric("roundNanoseconds", .nanoseconds)),
      Criterion(
        "L7", "verification of one log in Spark: segments side by side, over the log as a whole", Name.verifyInSpark,
        .metric("speedup", .ratio)),
      Criterion("L8", "ship, a segment", Name.ship, .metric("segmentNanoseconds", .nanoseconds)),
      Criterion("L8", "its processor time, all segments", Name.ship, .metric("processorNanoseconds", .nanoseconds)),
    ]
  }

  static let snapshots: [Criterion] = [
    Criterion(
      "S1", "canonical encoding of the state", Name.canonical, .metric("roundNanoseconds", .nanoseconds),
      .atMost(60e6)),
    Criterion("S1", "digest of the state", Name.digest, .metric("roundNanoseconds", .nanoseconds), .atMost(120e6)),
    Criterion("S1", "load the state", Name.load("ours"), .metric("roundNanoseconds", .nanoseconds), .atMost(40e6)),
    Criterion(
      "S1", "load, over JSONDecoder", Name.load("ours"), .speedup(over: Name.load("JSONDecoder")), .atLeast(15)),
    Criterion(
      "S1", "longest dispatch while a snapshot is taken, by the wall clock", Name.stall,
      .metric("maximumNanoseconds", .nanoseconds)),
    Criterion(
      "S1", "the same, no snapshot", Name.calm, .metric("maximumNanoseconds", .nanoseconds)),
    Criterion(
      "S1", "longest dispatch while a snapshot is taken, by processor time", Name.stall,
      .metric("maximumProcessorNanoseconds", .nanoseconds), .atMost(1e6)),
    Criterion(
      "S1", "open: load the snapshot, fold the tail", Name.open, .metric("roundNanoseconds", .nanoseconds),
      .atMost(250e6)),
    Criterion(
      "S1", "open, of a model without a fingerprint", Name.openWithoutFingerprint,
      .metric("roundNanoseconds", .nanoseconds)),
  ]

  static let subscriptions: [Criterion] = [
    Criterion(
      "B1", "deliver to a handler that does nothing, position every 1 000 actions", Name.deliver(1_000), .rate,
      .atLeast(100_000)),
    Criterion("B1", "position every action (two syncs each)", Name.deliver(1), .rate),
    Criterion(
      "B2", "append to handler, the sync included, same process, p99", Name.deliveryLatency("same process"),
      .metric("p99Nanoseconds", .nanoseconds), .atMost(50e6)),
    Criterion(
      "B2", "same process, p50", Name.deliveryLatency("same process"), .metric("medianNanoseconds", .nanoseconds)),
    Criterion(
      "B2", "another process, p99", Name.deliveryLatency("another process"), .metric("p99Nanoseconds", .nanoseconds),
      .atMost(50e6)),
    Criterion(
      "B2", "another process, p50", Name.deliveryLatency("another process"),
      .metric("medianNanoseconds", .nanoseconds)),
  ]

  static func inspecting(_ sizes: Sizes) -> [Criterion] {
    func row(_ title: String, _ metric: String, _ unit: MetricUnit, _ limit: Double) -> Criterion {
      Criterion("I1", title, Name.inspect, .metric(metric, unit), .atMost(limit))
    }
    return [
      row(
        "inspect \(Figures.grouped(Double(sizes.logActions))) actions: list usable", "listNanoseconds", .nanoseconds,
        0.5e9),
      row("first paint", "firstPaintNanoseconds", .nanoseconds, 0.3e9),
      row("index of types and times ready", "indexNanoseconds", .nanoseconds, 1.5e9),
      row("jump from the first action to the last", "jumpNanoseconds", .nanoseconds, 1.5e9),
      row("its first progress", "progressNanoseconds", .nanoseconds, 0.2e9),
      row("step at the end: processor time of the server", "stepProcessorNanoseconds", .nanoseconds, 50e6),
      row("until it is shown", "stepNanoseconds", .nanoseconds, 50e6),
      row("peak memory of the server", "serverMebibytes", .mebibytes, 350),
      row("memory of the page", "pageMebibytes", .mebibytes, 150),
    ]
  }

  static func care(_ sizes: Sizes) -> [Criterion] {
    [
      Criterion(
        "V1", "verify: split, crc, strict envelope, chain", Name.verify,
        .metric("megabytesPerSecond", .megabytesPerSecond), .atLeast(400)),
      Criterion(
        "V1", "verify --jobs with all processors, over one", Name.verifySideBySide, .speedup(over: Name.verify),
        .atLeast(1.7)),
      Criterion(
        "V1", "verify, with a salt in each line, over without", Name.verifySalted, .speedup(over: Name.verify)),
      Criterion(
        "V1",
        "replay --verify of \(Figures.grouped(Double(sizes.lineActions))) actions, all processors over one",
        Name.prove("all cores"), .speedup(over: Name.prove("one core"))),
      Criterion(
        "V1",
        "action-log replay --verify, \(Figures.grouped(Double(sizes.logActions))) actions, all processors over one",
        Name.proveCold("all cores"), .speedup(over: Name.proveCold("one core")), .atLeast(1.7)),
      Criterion(
        "M1", "memory of verify: long log over short", Name.memory("verify", sizes.logActions),
        .metricRatio("peakMebibytes", .mebibytes, to: Name.memory("verify", sizes.lineActions)), .atMost(1.25)),
      Criterion(
        "M1", "memory of replay: long log over short", Name.memory("replay", sizes.logActions),
        .metricRatio("peakMebibytes", .mebibytes, to: Name.memory("replay", sizes.lineActions)), .atMost(1.25)),
    ]
  }

  static func evidence(_ sizes: Sizes) -> [Criterion] {
    let (lines, new) = (Figures.grouped(Double(sizes.logActions)), Figures.grouped(Double(sizes.lineActions / 10)))
    return [
      Criterion("C1", "tree over \(lines) plain lines", Name.tree("plain"), .rate, .atLeast(1.5e6)),
      Criterion("C1", "tree over salted lines", Name.tree("salted"), .rate, .atLeast(0.3e6)),
      Criterion(
        "C2", "checkpoint of \(new) new lines", Name.checkpoint, .metric("roundNanoseconds", .nanoseconds),
        .atMost(20e6)),
      Criterion(
        "C2", "its processor time, without waiting for the device", Name.checkpoint,
        .metric("processorNanoseconds", .nanoseconds)),
      Criterion(
        "C3", "proof of a line in a log of \(lines), p99", Name.proof, .metric("p99Nanoseconds", .nanoseconds),
        .atMost(5e6)),
      Criterion("C3", "median", Name.proof, .metric("medianNanoseconds", .nanoseconds)),
    ]
  }
}
