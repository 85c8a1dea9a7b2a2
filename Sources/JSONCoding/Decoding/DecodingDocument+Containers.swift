extension DecodingDocument {
  /// A container of the members of an object.
  ///
  /// The one that was made for the type of key before is moved there if nobody else holds it. While a value decodes itself
  /// it holds its container, and so does whoever keeps one for later: then another one is made.
  @inline(__always)
  func container<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) throws -> KeyedDecodingContainer<Key> {
    guard kind(value) == .object else { throw mismatch(value, [String: Any].self, "an object") }
    if let frame = storage.pointee.frames[ObjectIdentifier(type)] {
      let kept = frame._withUnsafeGuaranteedRef { frame in frame.move(to: value, depth: depth) }
      if let kept {
        return kept._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).container()
        }
      }
    }
    return makeContainer(keyedBy: type, value, depth: depth)
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) -> KeyedDecodingContainer<Key> {
    let frame = DecodingFrame(self, object: value, depth: depth)
    let container = KeyedDecodingContainer(KeyedDecoding<Key>(frame: frame))
    if storage.pointee.frames[ObjectIdentifier(type)] == nil, KeptContainers.canDecode {
      frame.keep(KeptContainer(container), ObjectIdentifier(type))
      storage.pointee.used.append(.passUnretained(frame))
      storage.pointee.frames[ObjectIdentifier(type)] = .passRetained(frame)
    } else {
      frame.keeper = owner
    }
    return container
  }
}
