#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A keyed container kept for reuse, which can determine whether there are other references to it.
///
/// `KeyedDecodingContainer` and `KeyedEncodingContainer` are structs with a single reference to a box that copies share. This is checked
/// once at run time; if it ever changes, no containers are kept.
///
/// The class is generic over the container type, and its methods are not inlined, so the type metadata is loaded from the object. A caller
/// that is generic over the key type would look up the metadata each time (benchmark `decode line, Codable`).
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

  var box: UnsafeMutablePointer<AnyObject> {
    UnsafeMutableRawPointer(place).assumingMemoryBound(to: AnyObject.self)
  }

  @inline(never)
  func container() -> Container { place.pointee }
}

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

/// The position of a keyed container. A reused container is repositioned by changing its frame.
///
/// The standard library boxes each container in a class. Creating the box requires several generic metadata lookups, which cost more than
/// coding the members of a small object. Coders therefore keep one container for each key type (see `ContainerShelf`).
final class ContainerFrame<Coding: BitwiseCopyable> {
  /// The coding that the container belongs to. It is kept alive by its user while it codes, and by `keeper` afterwards.
  let coding: Coding
  /// Keeps the coding alive for a container that is not kept on the shelf and may outlive the coding.
  var keeper: AnyObject?
  let keyLists: UnsafeMutablePointer<KeyLists>
  private(set) var type: ObjectIdentifier?
  /// The kept container. Its box refers to this frame; ``forget()`` breaks the reference cycle.
  private var kept: AnyObject?
  /// State that changes often, allocated separately to avoid exclusivity checks on class properties.
  private let place: UnsafeMutablePointer<Place>

  private struct Place: BitwiseCopyable {
    var first: Int
    var second: Int
    var box: UnsafeMutablePointer<AnyObject>?
    var kept: Unmanaged<AnyObject>?
    /// Whether the current coding uses the container.
    var isUsed = false
  }

  init(_ coding: Coding, _ first: Int, _ second: Int) {
    self.coding = coding
    place = .allocate(capacity: 1)
    place.initialize(to: Place(first: first, second: second))
    keyLists = .allocate(capacity: 1)
    keyLists.initialize(to: KeyLists())
  }

  deinit {
    keyLists.pointee.deallocate()
    keyLists.deallocate()
    place.deallocate()
  }

  /// Two numbers that define the container's position.
  var first: Int {
    @inline(__always) get { place.pointee.first }
  }

  var second: Int {
    @inline(__always) get { place.pointee.second }
  }

  func keep<Container>(_ container: KeptContainer<Container>, _ type: ObjectIdentifier) {
    kept = container
    self.type = type
    place.pointee.box = container.box
    place.pointee.kept = .passUnretained(container)
    place.pointee.isUsed = true
  }

  func forget() {
    place.pointee.box = nil
    place.pointee.kept = nil
    kept = nil
  }

  /// Repositions the container.
  ///
  /// - Returns: The container, kept alive by the frame, or `nil` if it is still referenced elsewhere.
  @inline(__always)
  func move(_ first: Int, _ second: Int, _ used: inout RawStack<Unmanaged<ContainerFrame>>) -> Unmanaged<AnyObject>? {
    guard let box = place.pointee.box, isKnownUniquelyReferenced(&box.pointee) else { return nil }
    place.pointee.first = first
    place.pointee.second = second
    if !place.pointee.isUsed {
      place.pointee.isUsed = true
      used.append(.passUnretained(self))
    }
    return place.pointee.kept
  }

  /// Ends a coding.
  @inline(__always)
  func endUse() -> Bool {
    place.pointee.isUsed = false
    guard let box = place.pointee.box else { return true }
    return isKnownUniquelyReferenced(&box.pointee)
  }
}

/// The keyed containers that a coder keeps for reuse, one for each key type.
///
/// A container is reused if there are no other references to it. A value that is being coded holds its container, and so does code that
/// stores one; a new container is then created. As with `RawStack`, a single owner frees the memory.
struct ContainerShelf<Coding: BitwiseCopyable> {
  private var frames = TypeTable<Unmanaged<ContainerFrame<Coding>>>()
  /// The frames of the containers used by the current coding.
  private var used = RawStack<Unmanaged<ContainerFrame<Coding>>>()

  func deallocate() {
    // A kept container, its box and its frame form a reference cycle.
    for frame in frames.elements {
      frame._withUnsafeGuaranteedRef { $0.forget() }
      frame.release()
    }
    frames.deallocate()
    used.deallocate()
  }

  /// Repositions the kept container for a key type, if it can be reused.
  ///
  /// - Returns: A `KeptContainer`, which stays alive as long as the shelf.
  @inline(__always)
  mutating func move(_ type: ObjectIdentifier, _ first: Int, _ second: Int) -> Unmanaged<AnyObject>? {
    guard let frame = frames[type] else { return nil }
    return frame._withUnsafeGuaranteedRef { $0.move(first, second, &used) }
  }

  /// Keeps a new container, unless there is one for the key type.
  mutating func keep<Container>(
    _ frame: ContainerFrame<Coding>, _ container: Container, _ type: ObjectIdentifier
  ) -> Bool {
    guard frames[type] == nil else { return false }
    frame.keep(KeptContainer(container), type)
    used.append(.passUnretained(frame))
    frames[type] = .passRetained(frame)
    return true
  }

  /// Ends a coding. Containers that are still referenced leave the shelf and keep the coding alive.
  @inline(__always)
  mutating func endUse(_ owner: AnyObject) {
    for frame in used.elements where !frame._withUnsafeGuaranteedRef({ $0.endUse() }) {
      frame._withUnsafeGuaranteedRef { release($0, to: owner) }
    }
    used.truncate(to: 0)
  }

  private mutating func release(_ frame: ContainerFrame<Coding>, to owner: AnyObject) {
    frame.keeper = owner
    guard let type = frame.type, let kept = frames[type] else { return }
    frames[type] = nil
    frame.forget()
    kept.release()
  }
}

/// A thread-local slot for one unused object.
///
/// A caller that takes the object owns it until the object is put back. Nested coding therefore finds the slot empty and creates another
/// object. Threads share nothing, and there are no locks.
struct ThreadSlot<Object: AnyObject>: Sendable {
  /// `nil` if the system has no more keys, in which case no objects are kept.
  private let key: pthread_key_t?

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { ThreadSlotRelease.release($0) }
    self.key = status == 0 ? key : nil
  }

  /// Takes this thread's object, or returns `nil` if the slot is empty.
  @inline(__always)
  func take() -> Object? {
    guard let key, let pointer = pthread_getspecific(key) else { return nil }
    pthread_setspecific(key, nil)
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Puts an object back, unless the slot is occupied.
  @inline(__always)
  func put(_ object: consuming Object) {
    guard let key, pthread_getspecific(key) == nil else { return }
    let pointer = Unmanaged.passRetained(object).toOpaque()
    if pthread_setspecific(key, pointer) != 0 { Unmanaged<Object>.fromOpaque(pointer).release() }
  }
}

/// The destructor of a thread's object. It is not generic, because it is a C function.
private enum ThreadSlotRelease {
  static func release(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
  }
}
