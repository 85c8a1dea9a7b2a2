import JSONCoding
import Platform

/// The SHA-256 of a state's canonical bytes. Two processes compare digests to check that they have the same state.
public struct StateDigest: Equatable, Sendable {
  /// SHA-256 over the canonical encoding: 64 lower-case hexadecimal digits.
  public var hexadecimal: String

  /// Makes a digest from its recorded form.
  package init(hexadecimal: String) {
    self.hexadecimal = hexadecimal
  }

  /// Computes the digest of canonical bytes.
  package init(canonicalBytes: [UInt8]) {
    self.hexadecimal = SHA256.hexadecimal(canonicalBytes)
  }

  /// Computes the digest of a state.
  ///
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  /// - Complexity: O(size of the state), and O(*m* log *m*) for each object of *m* members.
  package init(of state: some Encodable) throws(EventSourcingError) {
    self.init(canonicalBytes: try canonicalBytes(of: state))
  }
}

/// Returns the canonical encoding of a state.
package func canonicalBytes(of state: some Encodable) throws(EventSourcingError) -> [UInt8] {
  do {
    return try StrictJSONEncoder(form: .canonical).encode(state)
  } catch {
    throw EventSourcingError(
      .unencodableState,
      "the state cannot be encoded",
      advice: "Every value of a state must be Codable and not nested deeper than 128 levels.",
      underlying: error
    )
  }
}

/// Whether two states are the same: equal, or with the same canonical encoding.
///
/// A state that holds `Double.nan` is not `==` to the state that was read from its own snapshot.
///
/// - Returns: `false` also if the states are not `==` and one of them cannot be encoded.
/// - Complexity: That of `==`; if that is `false`, O(size of the states).
package func areSame<State: Codable & Equatable & Sendable>(_ first: State, _ second: State) -> Bool {
  if first == second { return true }
  let coder = StateCoder<State>()
  do throws(EventSourcingError) {
    return try coder.canonicalBytes(of: first) == coder.canonicalBytes(of: second)
  } catch {
    return false
  }
}
