import ActionLog
import CSystem
import Dispatch
import EventSourcing
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

/// The long questions of the inspector's tabs, which run on threads of their own.
final class InspectorJobs: Sendable {
  private struct Contents: Sendable {
    /// The last number. The first one is random, so that a page does not take a job of this server for one of an earlier server.
    var count = Int.random(in: 0..<1 << 40)
    /// The most recently used last.
    var jobs: [InspectorJob] = []
  }

  /// The finished and running jobs that are kept: some for each view.
  static let keptLimit = 32
  /// The questions that run at once, one for each processor of a small machine. Moves are not counted: each view has one.
  static let runningLimit = 4
  /// The edited histories that are kept, each with its states.
  static let branchLimit = 4
  /// The results and files of jobs that are kept, apart from the latest job.
  static let keptBytes = 64 << 20

  private let contents = Locked(Contents())

  private let keptBytes: Int

  init(keptBytes: Int) { self.keptBytes = keptBytes }

  /// Active are those that run and are not canceled.
  var counts: (kept: Int, active: Int, bytes: Int) {
    contents.withLock { contents in
      (
        contents.jobs.count, contents.jobs.filter(\.isActive).count,
        contents.jobs.reduce(0) { sum, job in sum + job.sizeBytes }
      )
    }
  }

  /// - Parameter view: The view that the job moves. It replaces a move of the same view, whose folded states it continues from.
  func start(
    command: String?, moving view: String? = nil,
    _ body: @escaping @Sendable (InspectorJob, ReplayOptions) throws -> InspectorJob.Answer
  ) throws(RequestFailure) -> InspectorJob {
    let (job, replaced) = try contents.withLock { contents throws(RequestFailure) in
      let running = contents.jobs.filter { job in
        job.isActive && (job.view == nil) == (view == nil)
      }
      let replaced = view == nil ? nil : running.first { job in job.view == view }
      let limit = view == nil ? Self.runningLimit : InspectorLimits.views
      guard running.count < limit || replaced != nil else {
        throw RequestFailure(
          .tooManyRequests, "tooManyJobs", "\(limit) jobs are running",
          advice: "Wait until one has finished, or cancel one.")
      }
      replaced?.cancel()
      contents.count += 1
      let job = InspectorJob(number: contents.count, command: command, moving: view)
      contents.jobs.append(job)
      trim(&contents.jobs)
      return (job, replaced)
    }
    BlockingWork.start {
      replaced?.waitForEnd()
      job.run(body)
      // A fold frees much more than it keeps, and the allocator would keep all of it.
      csystem_release_free_memory()
    }
    return job
  }

  /// Forgets the oldest finished jobs beyond the limits.
  private func trim(_ jobs: inout [InspectorJob]) {
    var (bytes, branches, count) = (0, 0, 0)
    let kept = jobs.reversed().filter { job in
      guard !job.isRunning else { return true }
      bytes += job.sizeBytes
      branches += job.branch == nil ? 0 : 1
      count += 1
      return count < Self.keptLimit && (count == 1 || bytes <= keptBytes)
        && (job.branch == nil || branches <= Self.branchLimit)
    }
    jobs = kept.reversed()
  }

  func job(_ name: String) throws(RequestFailure) -> InspectorJob {
    try contents.withLock { contents throws(RequestFailure) in
      guard let index = contents.jobs.firstIndex(where: { job in String(job.number) == name }) else {
        throw Self.missing(name)
      }
      let job = contents.jobs.remove(at: index)
      contents.jobs.append(job)
      return job
    }
  }

  func remove(_ name: String) throws(RequestFailure) {
    let job = try job(name)
    job.cancel()
    contents.withLock { contents in contents.jobs.removeAll { other in other === job } }
  }

  func cancelAll() {
    for job in contents.withLock({ contents in contents.jobs }) { job.cancel() }
  }

  private static func missing(_ name: String) -> RequestFailure {
    RequestFailure(.notFound, "noJob", "there is no job '\(name.prefix(100))'", advice: "Start the question again.")
  }
}

/// A question in progress, or its answer.
final class InspectorJob: Sendable {
  struct Answer: Sendable {
    var json: JSONValue
    var file: File?
    var branch: Branch?
    var hints: [QuestionHint] = []
  }

  struct File: Sendable {
    var name: String
    var bytes: [UInt8]
  }

  struct Branch: Sendable {
    var view: InspectorView
    /// The number of times that a writer had rolled back actions, which the edits may name.
    var rollbacks: Int
  }

  private struct Contents: Sendable {
    var reached = 0
    var total: Int?
    var revisions: [Int] = []
    var changes: [JSONValue] = []
    /// `nil` while the job runs.
    var result: Result<Answer, any Error>?
    var isCancelled = false
    var changeBytes = 0

    var answer: Answer? { if case .success(let answer) = result { answer } else { nil } }
  }

  /// The revisions that a filter can find: 8 MB of memory.
  static let revisionLimit = 1_000_000
  /// The changes of a value that a history can have, each with its texts.
  static let changeLimit = ActionSearch.historyLimit

  let number: Int
  let command: String?
  /// The view that the job moves; `nil` for a question.
  let view: String?
  private let contents = Locked(Contents())
  private let end = DispatchGroup()

  init(number: Int, command: String?, moving view: String?) {
    (self.number, self.command, self.view) = (number, command, view)
    end.enter()
  }

  func waitForEnd() { end.wait() }

  var isRunning: Bool { contents.withLock { contents in contents.result == nil } }
  var isActive: Bool { contents.withLock { contents in contents.result == nil && !contents.isCancelled } }
  /// Whether the job was canceled, also if it has not ended yet.
  var isCancelled: Bool { contents.withLock { contents in contents.isCancelled } }
  var resultCount: Int { contents.withLock { contents in contents.revisions.count + contents.changes.count } }

  var sizeBytes: Int {
    contents.withLock { contents in
      contents.revisions.count * MemoryLayout<Int>.stride + contents.changeBytes
        + (contents.answer?.file?.bytes.count ?? 0)
    }
  }

  func cancel() { contents.withLock { contents in contents.isCancelled = true } }

  func note(reached: Int, of total: Int?) {
    contents.withLock { contents in (contents.reached, contents.total) = (reached, total ?? contents.total) }
  }

  /// - Returns: Whether there is room for more.
  @discardableResult func add(_ revisions: [Int]) -> Bool {
    contents.withLock { contents in
      contents.revisions += revisions.prefix(Self.revisionLimit - contents.revisions.count)
      return contents.revisions.count < Self.revisionLimit
    }
  }

  /// - Returns: Whether there is room for more.
  func add(_ change: JSONValue) -> Bool {
    contents.withLock { contents in
      contents.changes.append(change)
      contents.changeBytes += change.bytes().count
      return contents.changes.count < Self.changeLimit
    }
  }

  fileprivate func run(_ body: (InspectorJob, ReplayOptions) throws -> Answer) {
    var options = ReplayOptions()
    options.isCancelled = { [self] in isCancelled }
    options.progress = { [self] step in note(reached: step.actionsFolded, of: step.actionsLimit) }
    // A move can be replaced before it begins.
    let result = Result<Answer, any Error> {
      guard !isCancelled else { throw CancellationError() }
      return try body(self, options)
    }
    contents.withLock { contents in contents.result = contents.isCancelled ? .failure(CancellationError()) : result }
    end.leave()
  }

  /// `nil` before the end of the job, and for jobs that write none.
  var file: File? { contents.withLock { contents in contents.answer?.file } }

  /// `nil` before the end of the job, and for other questions than what-if.
  var branch: Branch? { contents.withLock { contents in contents.answer?.branch } }

  /// With the results after the first ones.
  func json(after offset: Int, _ wording: MessageWording) -> JSONObject {
    contents.withLock { contents in
      let revisions = contents.revisions.dropFirst(offset).prefix(InspectorLimits.rows).map(JSONValue.integer)
      let changes = contents.changes.dropFirst(offset).prefix(InspectorLimits.rows)
      var object: JSONObject = [
        "job": .string(String(number)), "reached": .integer(contents.reached), "results": .array(revisions + changes),
      ]
      switch contents.result {
      case nil: object["status"] = "running"
      case .success: object["status"] = "done"
      case .failure(is CancellationError): object["status"] = "cancelled"
      case .failure(let error):
        object["status"] = "failed"
        if case .object(let failure) = RequestFailure(any: error).json(wording) { object["error"] = failure["error"] }
      }
      object["of"] = contents.total.map(JSONValue.integer)
      object["command"] = command.map(JSONValue.string)
      object["answer"] = contents.answer?.json
      let hints = contents.answer?.hints ?? []
      object["hints"] = .array(
        hints.map { hint in .string(wording.message(hint.text)) })
      return object
    }
  }
}
