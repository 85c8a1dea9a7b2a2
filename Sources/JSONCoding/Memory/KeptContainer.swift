/// A keyed container that is kept to be used again, and the way to know whether anybody else holds it.
///
/// `KeyedDecodingContainer` and `KeyedEncodingContainer` are structs of one reference to a box, and copies share the box. That is
/// asked of them once; should it ever change, no container is kept and each is made anew.
///
/// The class is generic over the whole container, and its methods are not inlined, so that the type is found in the
/// object. Callers that know the type of key only would have the runtime look for the type of the container each time
/// (the benchmark `decode line, Codable`).
final class KeptContainer<Container> {
  private let place: UnsafeMutablePointer<Container>

  init(_ container: Container) {
    place = .allocate(capacity: 1)
    place.initialize(to: container)
  }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// The reference to the box.
  var box: UnsafeMutablePointer<AnyObject> {
    UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyObject.self)
  }

  @inline(never)
  func container() -> Container { place.pointee }
}

/// Whether containers can be kept.
enum KeptContainers {
  static let canDecode = isReference(
    KeyedDecodingContainer(
      KeyedDecoding<JSONCodingKey>(frame: ContainerFrame(DecodingOwner().document, 0, 0))))

  static let canEncode = isReference(
    KeyedEncodingContainer(
      KeyedEncoding<JSONCodingKey>(frame: ContainerFrame(EncodingOwner().state, 0, 0))))

  /// Whether a type's only stored property is a reference to an object.
  private static func isReference<Container>(_ container: Container) -> Bool {
    let children = Mirror(reflecting: container).children.map(\.value)
    return MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size && children.count == 1
      && children.allSatisfy { type(of: $0) is AnyClass }
  }
}
