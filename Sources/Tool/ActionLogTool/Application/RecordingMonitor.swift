import ActionLog
package import EventSourcing
import Platform

/// Prints the notices of recorders on standard error, such as a torn tail and its quarantine file.
///
/// Each notice is printed once. While a screen is shown, notices wait until it is gone.
package final class RecordingNotices: Sendable {
  private struct Contents: Sendable {
    var printed: Set<MessageText> = []
    var waiting: [MessageText] = []
    var isHeld = false
  }

  /// The number of different notices to print. It bounds the memory of a store that is reopened again and again.
  private static let printedLimit = 100

  private let context: CommandContext
  private let contents = Locked(Contents())

  /// Creates a printer of notices for a command.
  package init(_ context: CommandContext) {
    self.context = context
  }

  /// Returns the configuration with its notices printed.
  ///
  /// - Parameter answersActions: Whether the program answers each action, so that the end of recording needs no notice.
  package func watching<M: Model>(
    _ configuration: RecordingConfiguration<M>, answersActions: Bool = false
  ) -> RecordingConfiguration<M> {
    var configuration = configuration
    let previous = configuration.onNotice
    configuration.onNotice = { [self] notice in
      previous?(notice)
      switch notice {
      case .recordingStopped, .recordingFailed, .actionNotRecorded: if !answersActions { take(notice) }
      case .tornTailCut, .digestMismatch, .snapshotFailed, .checkpointFailed: take(notice)
      }
    }
    return configuration
  }

  /// Prints a notice now, or when the screen is gone.
  package func take(_ notice: RecordingNotice) {
    let text = notice.text
    let isDue = contents.withLock { contents -> Bool in
      guard contents.printed.count < Self.printedLimit, contents.printed.insert(text).inserted else { return false }
      if contents.isHeld { contents.waiting.append(text) }
      return !contents.isHeld
    }
    if isDue { print([text]) }
  }

  /// Holds notices back while a screen is shown.
  func hold() {
    contents.withLock { contents in contents.isHeld = true }
  }

  /// Prints the notices that were held back, and the following ones at once.
  func release() {
    let texts = contents.withLock { contents -> [MessageText] in
      defer { (contents.waiting, contents.isHeld) = ([], false) }
      return contents.waiting
    }
    print(texts)
  }

  private func print(_ texts: [MessageText]) {
    guard !texts.isEmpty else { return }
    do throws(ToolStreamError) {
      for text in texts { try context.warn(text) }
      try context.messages.flush()
    } catch {
      // Recording continues without a reader of notices.
    }
  }
}
