/// The keyed containers that a coder keeps, one for each type of key.
///
/// A container is used again if nobody else holds it. While a value codes itself it holds its container, and so does whoever
/// stores one for later: then another one is made. As with `RawStack`, one owner frees the memory.
struct ContainerShelf<Coding: BitwiseCopyable> {
  private var frames = TypeTable<Unmanaged<ContainerFrame<Coding>>>()
  /// The frames of the containers that the present coding has moved.
  private var used = RawStack<Unmanaged<ContainerFrame<Coding>>>()

  func deallocate() {
    // A kept container, its box and its frame hold each other.
    for frame in frames.elements {
      frame._withUnsafeGuaranteedRef { $0.forget() }
      frame.release()
    }
    frames.deallocate()
    used.deallocate()
  }

  /// Moves the container that is kept for a type of key, if nobody holds it.
  ///
  /// - Returns: A `KeptContainer`, which stays alive as long as the shelf.
  @inline(__always)
  mutating func move(_ type: ObjectIdentifier, _ first: Int, _ second: Int) -> Unmanaged<AnyObject>? {
    guard let frame = frames[type] else { return nil }
    return frame._withUnsafeGuaranteedRef { $0.move(first, second, &used) }
  }

  /// Keeps a new container, unless there is one for the type of key.
  ///
  /// - Returns: Whether it is kept.
  mutating func keep<Container>(
    _ frame: ContainerFrame<Coding>, _ container: Container, _ type: ObjectIdentifier
  ) -> Bool {
    guard frames[type] == nil else { return false }
    frame.keep(KeptContainer(container), type)
    used.append(.passUnretained(frame))
    frames[type] = .passRetained(frame)
    return true
  }

  /// Ends a coding: containers that somebody still holds leave the shelf, and keep what they need alive.
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
