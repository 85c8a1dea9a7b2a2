/// Decides which part of each dictionary a value is encoded with.
///
/// Whoever encodes a value to see some of it, for instance what two versions of it do not share, puts one into the `userInfo`
/// of the encoder, under ``Swift/CodingUserInfoKey/treeParts``. Encoding then costs as much as the parts are large.
package protocol TreeParts: Sendable {
  /// The part of a dictionary that is encoded in its place; the dictionary itself if that is all of it.
  ///
  /// - Parameters:
  ///   - dictionary: What is to be encoded.
  ///   - path: Where the encoder stands.
  func part<Key, Value>(
    of dictionary: TreeDictionary<Key, Value>, at path: [any CodingKey]
  ) -> TreeDictionary<Key, Value>
}

extension CodingUserInfoKey {
  /// Where a dictionary looks for a ``TreeParts``.
  package static let treeParts = CodingUserInfoKey(rawValue: "TreeCollections.parts")!
}

extension TreeDictionary {
  /// What an encoder is to be given of the dictionary.
  @usableFromInline
  func part(for encoder: any Encoder) -> Self {
    let information = encoder.userInfo
    guard !information.isEmpty, let parts = information[.treeParts] as? any TreeParts else { return self }
    return parts.part(of: self, at: encoder.codingPath)
  }

  /// Calls a closure with a key as it is in the dictionary, and the place of its value, which is good until the closure returns.
  ///
  /// A value stays in its place, also in later versions of the dictionary, until it is changed.
  ///
  /// - Complexity: O(1).
  package func withPlace(of key: Key, _ body: (_ key: Key, _ value: UnsafePointer<Value>) throws -> Void) rethrows {
    guard let leaf = leaf(key) else { return }
    try withExtendedLifetime(self) { try body(leaf.key, UnsafePointer(leaf.value)) }
  }

  /// The elements that two versions of a dictionary do not share, whether or not they are equal.
  ///
  /// - Parameter other: The other version; any dictionary will do, but sharing makes it fast.
  /// - Returns: Those of this dictionary and those of the other one, and how many nodes and elements were looked at.
  /// - Complexity: As ``changes(from:by:)``.
  package func unshared(with other: Self) -> (mine: Self, theirs: Self, visited: Int) {
    withExtendedLifetime((self, other)) {
      // No two elements count as the same, so that nothing is asked of the values.
      let difference = TreeDifference(
        from: other.root, to: root, keys: { Leaf($0).has(Leaf($1).key) }, values: { _, _ in false })
      return (
        mine: Self.copying(difference.inserted + difference.updated.map(\.new)),
        theirs: Self.copying(difference.removed + difference.updated.map(\.old)),
        visited: difference.visited
      )
    }
  }

  private static func copying(_ leaves: [TreeSlot]) -> Self {
    Self(uniqueKeysWithValues: leaves.lazy.map { leaf in (Leaf(leaf).key, Leaf(leaf).value.pointee) })
  }
}
