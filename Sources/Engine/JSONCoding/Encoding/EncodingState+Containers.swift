extension EncodingState {
  /// Returns a container of the members of an open object.
  @inline(__always)
  func container<Key: CodingKey>(keyedBy type: Key.Type, _ handle: EncodingHandle) -> KeyedEncodingContainer<Key> {
    if let kept = storage.pointee.containers.move(ObjectIdentifier(type), handle.index, handle.serial) {
      return kept._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: KeptContainer<KeyedEncodingContainer<Key>>.self).container()
      }
    }
    return makeContainer(keyedBy: type, handle)
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type, _ handle: EncodingHandle
  ) -> KeyedEncodingContainer<Key> {
    let frame = ContainerFrame(self, handle.index, handle.serial)
    let container = KeyedEncodingContainer(KeyedEncoding<Key>(frame: frame))
    let isKept =
      KeptContainers.canEncode && storage.pointee.containers.keep(frame, container, ObjectIdentifier(type))
    if !isKept { frame.keeper = owner }
    return container
  }
}
