import ActionLog
package import EventSourcing
import Platform

/// Prints each notice of recorders on standard error once, such as a torn tail and its quarantine file.
package final class RecordingNotices: Sendable {
  /// The number of different notices to print. It bounds the memory of a store that is reopened again and again.
  private static let printedLimit = 100

  private let context: CommandContext
  private let printed = Locked(Set<MessageText>())

  package init(_ context: CommandContext) {
    self.context = context
  }

  /// Returns the configuration with its notices printed. If the program answers each action, the end of recording needs no notice.
  package func watching<M: Model>(
    _ configuration: RecordingConfiguration<M>, answersActions: Bool = false
  ) -> RecordingConfiguration<M> {
    var configuration = configuration
    let previous = configuration.onNotice
    configuration.onNotice = { [self] notice in
      previous?(notice)
      switch notice {
      case .recordingStopped, .recordingFailed, .actionNotRecorded: if !answersActions { take(notice) }
      case .tornTailCut, .digestMismatch, .snapshotFailed, .checkpointFailed, .removalUnfinished: take(notice)
      }
    }
    return configuration
  }

  package func take(_ notice: RecordingNotice) {
    let text = notice.text
    let isNew = printed.withLock { printed in printed.count < Self.printedLimit && printed.insert(text).inserted }
    guard isNew else { return }
    do throws(ToolStreamError) {
      try context.warn(text)
      try context.messages.flush()
    } catch {
      // Recording continues without a reader of notices.
    }
  }
}
