import Platform

// What a recorder needs beyond the public interface: to know before it appends what can never be appended, and to put
// many units in line of which none may overtake one that was rejected.
extension LogWriter {
  /// Checks that drafts obey the rules of the format, their length included, without taking them.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func check(_ drafts: [LogDraft]) throws(LogError) {
    try checkForm(of: drafts)
    for draft in drafts {
      guard WriterQueue.room(for: draft) <= LogFormat.lineLimitBytes else { throw DraftCheck.tooLong(draft) }
    }
  }

  /// Checks that drafts obey the rules of the format, but for their length, which only their place in a log shows to the byte.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func checkForm(of drafts: [LogDraft]) throws(LogError) { try DraftCheck.check(drafts) }

  /// Checks that remarks on a record obey the rules of the format.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func check(meta: [UInt8]) throws(LogError) { try DraftCheck.checkMeta(meta) }

  /// Takes a unit unless the queue is full.
  ///
  /// - Parameter previous: A unit that this one must stand behind. When it was rejected, so is this one: nothing is taken.
  /// - Returns: `nil` when the queue is full.
  package func offer(
    _ drafts: [LogDraft], following previous: LogTicket?
  ) throws(LogError) -> LogTicket? {
    try DraftCheck.check(drafts)
    return try takeUnlessFull(drafts, following: previous, haste: .soon)
  }

  /// Waits until a unit has reached the writer's level, and at every level at least until it is written.
  ///
  /// At the level `memory` ``durable(through:)`` knows nothing yet: what it acknowledged can still be rejected.
  ///
  /// - Throws: As ``durable(through:)``.
  package func written(through ticket: LogTicket) async throws(LogError) {
    _ = try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Gives the lock and the files back without writing anything, as the death of the process would.
  package func abandon() {
    release()
    settleRest()
  }
}
