public import ActionLog

/// A subscription of a log, as a list shows it.
public struct SubscriptionSummary: Sendable {
  /// The name.
  public var name: String
  /// The position; `nil` if it cannot be read.
  public var position: SubscriptionPosition?
  /// The time at which the position was stored.
  public var updated: LogTime?
  /// The number of actions after the position, also those that it does not deliver.
  public var lag = 0
  /// The time since the first action after the position was recorded; `nil` if there is none.
  public var lagTime: Duration?
  /// Whether a consumer is running.
  public var isHeld = false
  /// The consumer's process, if the system reports it.
  public var holder: Int32?
  /// The number of failed attempts to deliver the next action.
  public var attempts = 0
  /// The last of their errors, or the reason why the position or the parked actions cannot be used.
  public var error: String?
  /// The number of parked actions.
  public var parkedCount = 0
  /// The number of parked actions that wait to be delivered again.
  public var waitingCount = 0
}

extension SubscriptionStore {
  /// Returns all subscriptions of the log.
  ///
  /// - Parameter now: The time to compare with, for ``SubscriptionSummary/lagTime``.
  /// - Throws: `LogError` if the log or the folder cannot be read. An unreadable file of a subscription is part of its summary.
  /// - Complexity: O(length of the last segment), and O(log(length of a segment)) for each subscription. If a consumer is running, the
  ///   call takes 25 milliseconds longer, to distinguish it from another list.
  public func summaries(now: LogTime = .now()) throws(LogError) -> [SubscriptionSummary] {
    let names = try names()
    guard !names.isEmpty else { return [] }
    let reader = try LogReader.open(at: log, fileSystem: fileSystem)
    let last = try reader.extent().lastRevision
    var summaries: [SubscriptionSummary] = []
    for name in names {
      var summary = SubscriptionSummary(name: name)
      // One damaged subscription must not hide the others.
      do { try addPosition(to: &summary, reader, last, now) } catch { summary.error = "\(error)" }
      do throws(LogError) {
        (summary.isHeld, summary.holder) = try holder(of: name)
        let parked = try parked(name)
        (summary.parkedCount, summary.waitingCount) = (parked.parked.count, parked.waiting.count)
      } catch {
        summary.error = "\(error)"
      }
      summaries.append(summary)
    }
    try confirmHolders(in: &summaries)
    return summaries
  }

  /// Checks the locks that are held once more: another list holds each for a moment, and is no consumer.
  private func confirmHolders(in summaries: inout [SubscriptionSummary]) throws(LogError) {
    guard summaries.contains(where: \.isHeld) else { return }
    Self.waitForList()
    for index in summaries.indices where summaries[index].isHeld {
      (summaries[index].isHeld, summaries[index].holder) = try holder(of: summaries[index].name)
    }
  }

  private func addPosition(
    to summary: inout SubscriptionSummary, _ reader: LogReader, _ last: Int, _ now: LogTime
  ) throws {
    guard let stored = try read(summary.name) else { return }
    summary.position = stored.position
    summary.updated = stored.updated
    summary.attempts = stored.attempts
    summary.error = stored.error
    summary.lag = max(0, last - stored.position.revision)
    try stored.position.check(against: reader, of: summary.name)
    guard summary.lag > 0 else { return }
    let first = try reader.record(at: stored.position.revision + 1)
    summary.lagTime = .microseconds(max(0, now.microseconds - first.time.microseconds))
  }
}
