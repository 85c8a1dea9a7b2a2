/// Whether a pack holds nothing.
package func isEmpty<each Element>(_ element: repeat each Element) -> Bool {
  for _ in repeat each element { return false }
  return true
}

/// Whether one of several values changed. Nothing after the first change is compared.
///
/// - Parameters:
///   - didChange: Is given the old and the new value.
///   - lhs: The old values.
///   - rhs: The new values.
/// - Returns: `false` for empty packs.
package func didChange<each Element>(
  _ didChange: repeat @escaping @Sendable (each Element, each Element) -> Bool,
  lhs: repeat each Element,
  rhs: repeat each Element
) -> Bool {
  for (didChange, lhs, rhs) in repeat (each didChange, each lhs, each rhs) {
    if didChange(lhs, rhs) { return true }
  }
  return false
}
