/// The names of measurements that conditions are about, so that a contender and its condition cannot drift apart.
package enum Name {
  package static let (foundation, codable, direct) = ("JSONDecoder", "Codable", "direct")

  /// Reading one line of a log: envelope and action.
  package static func decode(_ contender: String) -> String { "decode line, \(contender)" }
  /// Writing one line of a log: envelope and action.
  package static func encode(_ contender: String) -> String { "encode line, \(contender)" }
  /// Appending without any sync.
  package static func appendUnsynced(_ contender: String) -> String { "append, no sync, \(contender)" }
  /// Appending with group commit, one producer that does not wait.
  package static func appendPipelined(_ milliseconds: Int) -> String {
    "append, pipelined commit, +\(milliseconds) ms a sync"
  }
  /// The same without a delay, to a log whose lines have salts.
  package static let appendPipelinedSalted = appendPipelined(0) + ", salted"
  /// Appending in batches of 1 000, each synced before the next.
  package static func appendThousands(_ contender: String) -> String { "append, sync each 1 000, \(contender)" }
  /// Appending one by one, each synced before the next.
  package static func appendEach(_ contender: String) -> String { "append, sync each, \(contender)" }
  /// Appending to many logs, one action each, until all are durable.
  package static func manyLogs(_ contender: String) -> String { "append to many logs, \(contender)" }
  /// Opening many logs of a set.
  package static let openLogs = "open many logs"
  /// Keeping many logs of a set open.
  package static let keepLogsOpen = "keep many logs open"
  /// Dispatching to many stores, in a process that has so many processors.
  package static func dispatchToLogs(cores: Int) -> String {
    "dispatch to many logs, \(cores) \(cores == 1 ? "processor" : "processors")"
  }
  /// Dispatching beside a store whose reducer is slow.
  package static let slowNeighbor = "dispatch beside a slow reducer"
  /// Asking a number of small logs for a value with `each`.
  package static func each(_ count: Int) -> String { "each, \(count) logs" }
  /// The same in one process.
  package static func eachInProcess(_ count: Int) -> String { "each in one process, \(count) logs" }
  /// The ways to run Spark that are measured; the first is the usual one.
  package static let sparkMasters = ["local[2]", "local[1]", "local-cluster[2,1,1024]"]
  /// The same by the module for Spark.
  package static func eachInSpark(_ count: Int, _ master: String = sparkMasters[0]) -> String {
    "each in Spark, \(count) logs" + (master == sparkMasters[0] ? "" : ", \(master)")
  }
  /// Counting the actions of a lake by day and type.
  package static func typesPerDay(_ engine: String) -> String { "types per day, \(engine)" }
  /// The segments of one long log in the module for Spark.
  package static let verifyInSpark = "verify in Spark"
  package static let ship = "ship to a lake"
  /// Dispatching into a store that a recorder listens to, until everything is durable.
  package static let recorder = "dispatch and record, Recorder"
  /// Rebuilding the state of the whole log.
  package static func replay(_ contender: String) -> String { "replay, \(contender)" }
  /// Folding updates of a table of so many rows.
  package static func fold(_ entities: Int, _ contender: String) -> String {
    "fold at \(Figures.grouped(Double(entities))) entities, \(contender)"
  }
  /// Updating one entry of a map.
  package static func map(_ operation: String, _ entries: Int, _ contender: String) -> String {
    "\(operation), \(Figures.grouped(Double(entries))) entries, \(contender)"
  }
  package static let seek = "state at a random revision, warm cursor"
  package static let step = "step of a cursor"
  package static let find = "find a line by its number"
  package static let diff = "diff of neighbouring states"
  package static let blame = "blame: who changed a value last"
  package static let bisect = "bisect: since when a condition holds"
  package static let filterByState = "list: actions after which a condition on the state holds"
  package static let filterByTouch = "list: actions that changed a value"
  package static let lastAction = "list: the last action"
  /// A question to `action-log` in a process of its own.
  package static func tool(_ question: String) -> String { "action-log \(question)" }
  /// A question in a process of its own that finds nothing of earlier ones.
  package static func firstQuestion(_ question: String, _ cores: String) -> String {
    "action-log \(question), first question, \(cores)"
  }
  /// `replay --verify` in a process of its own.
  package static func proveCold(_ cores: String) -> String { "action-log replay --verify, \(cores)" }
  package static let canonical = "canonical encoding of a state"
  package static let digest = "digest of a state"
  package static func load(_ contender: String) -> String { "load a state, \(contender)" }
  package static let stall = "dispatch while a snapshot is taken"
  package static let calm = "dispatch while no snapshot is taken"
  package static let open = "open: snapshot and tail"
  package static let openWithoutFingerprint = "open: snapshot and tail, no fingerprint"
  package static let verify = "verify"
  package static let verifySalted = "verify, salted"
  package static let verifySideBySide = "verify, segments side by side"
  /// Folding a log with snapshots twice, and comparing all of it.
  package static func prove(_ cores: String) -> String { "replay proof, \(cores)" }
  /// The tree over the lines of a log, built from the lines.
  package static func tree(_ form: String) -> String { "tree over \(form) lines" }
  package static let checkpoint = "checkpoint of new lines"
  package static let proof = "proof of a line"
  /// A runner of a projection that reads a whole log.
  package static let projection = "projection catch-up"
  /// A projection that follows a recorder.
  package static let liveProjection = "projection following a recorder"
  /// Delivering a log to a handler that does nothing, with the position stored every so many actions.
  package static func deliver(_ actions: Int) -> String {
    "deliver, position every \(actions == 1 ? "action" : Figures.grouped(Double(actions)) + " actions")"
  }
  /// From the time of a record to its handler.
  package static func deliveryLatency(_ place: String) -> String { "append to handler, \(place)" }
  /// The writer that a subscription follows.
  package static let deliveryWriter = "append for a subscription"
  /// A page over a log in a browser.
  package static let inspect = "inspect in a browser"
  package static func memory(_ work: String, _ actions: Int) -> String {
    "memory of \(work), \(Figures.grouped(Double(actions))) actions"
  }
}
