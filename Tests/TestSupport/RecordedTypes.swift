package import ActionLog

extension LogReader {
  /// Returns the types of the actions in a log, which another process may be creating; empty if there is no log.
  package static func recordedTypes(_ path: String) throws -> [String] {
    do {
      var records = try LogReader.open(at: path).records(from: 1)
      var types: [String] = []
      while let record = try records.next() {
        if !record.isControl { types.append(record.type) }
      }
      return types
    } catch {
      guard error.code == .notFound || error.code == .notALog else { throw error }
      return []
    }
  }
}
