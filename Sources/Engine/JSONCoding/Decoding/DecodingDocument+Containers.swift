extension DecodingDocument {
  /// Returns a container of the members of an object.
  @inline(__always)
  func container<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) throws -> KeyedDecodingContainer<Key> {
    guard kind(value) == .object else { throw mismatch(value, [String: Any].self, "an object") }
    if let kept = storage.pointee.containers.move(ObjectIdentifier(type), value, depth) {
      return kept._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).container()
      }
    }
    return makeContainer(keyedBy: type, value, depth: depth)
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) -> KeyedDecodingContainer<Key> {
    let frame = ContainerFrame(self, value, depth)
    let container = KeyedDecodingContainer(KeyedDecoding<Key>(frame: frame))
    let isKept =
      KeptContainers.canDecode && storage.pointee.containers.keep(frame, container, ObjectIdentifier(type))
    if !isKept { frame.keeper = owner }
    return container
  }
}
