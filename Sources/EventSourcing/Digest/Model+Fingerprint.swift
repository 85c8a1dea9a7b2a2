extension Model {
  /// What the engine can tell of the code that folds: 16 hexadecimal digits over name, schema and initial state.
  ///
  /// A snapshot made under another fingerprint is not used. It covers the model's name, its schema version and the
  /// shape and content of its initial state. It cannot see a changed line in the reducer: raise ``schema`` for that, or
  /// rely on the digests in the log, which cover every line that has an effect.
  ///
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  package static func fingerprint() throws(EventSourcingError) -> String {
    var hasher = SHA256()
    hasher.update("\(name)\n\(schema)\n".utf8)
    hasher.update(try canonicalBytes(of: initialState))
    return hasher.finalize().prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
