/// Where a keyed container stands. A container that is used again is moved by changing its frame.
///
/// The standard library keeps a coder's container in a class of its own. To make one costs several look-ups of generic
/// types in the runtime, which is more than reading or writing the members of a small object. So one is kept for each type of
/// key (see `ContainerShelf`).
final class ContainerFrame<Coding: BitwiseCopyable> {
  /// What the container belongs to. It is alive: while it codes, because its user holds it; later, because of `keeper`.
  let coding: Coding
  /// Set when the container is not, or no longer, kept, and may outlive the coding.
  var keeper: AnyObject?
  /// The lists of keys that were given out, if the container reads.
  let keyLists: UnsafeMutablePointer<KeyLists>
  /// The type of key for which the container is kept.
  private(set) var type: ObjectIdentifier?
  /// What is kept: the container's box holds this frame, so that the circle is to be broken by ``forget()``.
  private var kept: AnyObject?
  /// What changes often, behind a pointer: properties of a class are checked for exclusive access.
  private let place: UnsafeMutablePointer<Place>

  private struct Place: BitwiseCopyable {
    var first: Int
    var second: Int
    var box: UnsafeMutablePointer<AnyObject>?
    var kept: Unmanaged<AnyObject>?
    /// Whether the present coding has moved the container.
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

  /// Two numbers that say where the container stands.
  var first: Int {
    @inline(__always) get { place.pointee.first }
  }

  var second: Int {
    @inline(__always) get { place.pointee.second }
  }

  /// Takes the container into care.
  func keep<Container>(_ container: KeptContainer<Container>, _ type: ObjectIdentifier) {
    kept = container
    self.type = type
    place.pointee.box = container.box
    place.pointee.kept = .passUnretained(container)
    place.pointee.isUsed = true
  }

  /// Ends the care.
  func forget() {
    place.pointee.box = nil
    place.pointee.kept = nil
    kept = nil
  }

  /// Moves the container to another place.
  ///
  /// - Returns: The container, which the frame keeps alive, or `nil` if somebody holds it.
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
  ///
  /// - Returns: Whether nobody holds the container.
  @inline(__always)
  func endUse() -> Bool {
    place.pointee.isUsed = false
    guard let box = place.pointee.box else { return true }
    return isKnownUniquelyReferenced(&box.pointee)
  }
}
