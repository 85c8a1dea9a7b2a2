extension Model {
  /// What the engine can tell of the code that folds, without running it: 16 hexadecimal digits over name, schema, initial
  /// state, ``sourceFingerprint`` and the policy on unknown types.
  ///
  /// It stands in the log's digests. A snapshot says besides what the code made of the log's first actions, unless there
  /// is a fingerprint of the sources; see ``ReducerIdentity``.
  ///
  /// - Parameter unknownTypes: The policy in force; `nil` is that of the model.
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  package static func fingerprint(unknownTypes: UnknownTypePolicy? = nil) throws(EventSourcingError) -> String {
    var hasher = SHA256()
    hasher.update("\(name)\n\(schema)\n".utf8)
    hasher.update(try canonicalBytes(of: initialState))
    if let sourceFingerprint { hasher.update("\nsources \(sourceFingerprint)".utf8) }
    if (unknownTypes ?? evolution.unknownTypes) == .keep { hasher.update("\nkeeps unknown types".utf8) }
    return hasher.shortText()
  }
}

extension SHA256 {
  /// The first 16 hexadecimal digits of the digest: enough to tell versions of a program apart.
  func shortText() -> String {
    finalize().prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
