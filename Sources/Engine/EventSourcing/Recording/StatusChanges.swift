import Platform

/// Tells of changes one after the other, in the order in which they were made, whatever threads made them, and holds no
/// lock while it does: whoever is told may call the recorder.
final class StatusChanges: Sendable {
  private struct Contents: Sendable {
    var waiting: [RecorderStatus.Phase] = []
    var isTelling = false
  }

  private let tell: (@Sendable (RecorderStatus.Phase) -> Void)?
  private let contents = Locked(Contents())

  init(_ tell: (@Sendable (RecorderStatus.Phase) -> Void)?) {
    self.tell = tell
  }

  /// Puts a change in line. Called under the lock that guards what changes, which decides the order.
  func add(_ phase: RecorderStatus.Phase) {
    guard tell != nil else { return }
    contents.withLock { contents in contents.waiting.append(phase) }
  }

  /// Tells of what is in line, unless another thread is at it. Called with no lock held.
  func deliver() {
    guard let tell else { return }
    var isFirst = true
    while let phase = next(isFirst) {
      isFirst = false
      tell(phase)
    }
  }

  private func next(_ isFirst: Bool) -> RecorderStatus.Phase? {
    contents.withLock { contents in
      if isFirst, contents.isTelling { return nil }
      contents.isTelling = !contents.waiting.isEmpty
      return contents.isTelling ? contents.waiting.removeFirst() : nil
    }
  }
}
