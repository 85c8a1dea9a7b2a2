/// A log in the making that is filled with records of another one.
package protocol LogSink {
  /// The schema in force: records of an older one cannot follow.
  var schema: Int { get }

  /// The revision of the last action that was taken.
  var lastSeq: Int { get }

  /// Takes a line.
  ///
  /// - Parameters:
  ///   - draft: The line.
  ///   - schema: The schema that it is written in, not older than the one in force.
  mutating func append(_ draft: LogDraft, schema: Int) throws(LogError)

  /// Makes everything durable, and gives the log its name.
  mutating func finish() throws(LogError)

  /// Removes what there is of it.
  func discard()
}
