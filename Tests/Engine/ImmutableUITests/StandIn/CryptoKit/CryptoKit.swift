// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// The names of CryptoKit that the sources use, with its signatures. No signature is valid.
public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public init<D: ContiguousBytes>(rawRepresentation data: D) throws {}

      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { false }
    }
  }
}
