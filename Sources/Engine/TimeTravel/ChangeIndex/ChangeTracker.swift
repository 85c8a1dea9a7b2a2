import JSONCoding
import TreeCollections

/// Finds the values that differ between one state and the next, by their memory.
///
/// The tracker keeps a copy of each value that it visits, as ``KnownValue`` does: while the copy retains the storage, equal bytes
/// are an equal value. It follows the state's own coding through structures, and the nodes that two versions of a `TreeDictionary`
/// do not share. Other values, such as arrays and enumerations, differ as a whole. So the result includes every difference, and
/// also values that were replaced by equal ones.
///
/// As for ``StateProbe``, a state is a value: an object inside it must not change. Do not share an instance between threads.
final class ChangeTracker<State: Encodable> {
  private let visit = ChangeVisit()

  deinit { visit.end() }

  func begin(_ state: State) throws {
    try visit.read(state)
    visit.restart()
  }

  func read(_ state: State) throws {
    try visit.read(state)
    visit.boundMarks()
  }

  /// The marks of the differences since the last call, with repetitions.
  func takeMarks() -> [ChangeMark] {
    defer { visit.restart() }
    return visit.marks
  }

  /// Whether tracking costs little more than folding: the copies that the tracker keeps share their storage with the states, or are
  /// small.
  var isFrugal: Bool { visit.isTrackable && visit.copied <= Self.copiedPerState * visit.states + Self.copiedLimit }

  /// Copying this many elements takes about as long as folding an action.
  private static var copiedPerState: Int { 32 }
  /// So that a few large values at the beginning do not decide.
  private static var copiedLimit: Int { 1 << 16 }
}

/// A location in the states, with the copy of its last value.
final class TrackedLocation {
  let name: String
  let path: ChangePath
  let parent: TrackedLocation?
  fileprivate var kept: (type: ObjectIdentifier, value: AnyObject)?
  fileprivate var children: [TrackedLocation] = []
  fileprivate var inner: TrackedLocation?
  fileprivate var container = KeptMemberContainer()
  /// The last state in which there was a value.
  fileprivate var lastSeen = 0
  /// The number of the marks to which this location's ``ChangePath/whole`` and ``ChangePath/below`` were added.
  fileprivate var (markedWhole, markedBelow) = (0, 0)

  init(_ name: String, _ path: ChangePath, in parent: TrackedLocation?) {
    (self.name, self.path, self.parent) = (name, path, parent)
  }
}

/// A copy of a value behind a reference.
private final class ChangeCopy<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// The visits of a ``ChangeTracker``, without the type of the state.
final class ChangeVisit {
  fileprivate(set) var marks: [ChangeMark] = []
  fileprivate var isTrackable = true
  fileprivate var states = 0
  /// The number of elements of the changed collections without shared storage. The reducer copied each, because the tracker kept it.
  fileprivate var copied = 0

  private static let fewestMarksToReduce = 1 << 16
  private var marksLimit = fewestMarksToReduce
  private let root = TrackedLocation("", .root, in: nil)
  private var round = 1
  private var steps: [ObjectIdentifier: ChangeStep] = [:]
  private var path: [TrackedLocation] = []
  var isLost = false
  fileprivate var expected = 0

  func end() { root.release() }

  func restart() {
    marks.removeAll(keepingCapacity: true)
    round += 1
  }

  func read<State: Encodable>(_ state: State) throws {
    states += 1
    try enter(state, root)
  }

  /// Removes repetitions when there are many marks: actions can change the same rows again and again.
  fileprivate func boundMarks() {
    guard marks.count > marksLimit else { return }
    marks = ChangeIndex.union(marks)
    marksLimit = max(Self.fewestMarksToReduce, 2 * marks.count)
  }

  fileprivate func enter<Value: Encodable>(_ value: Value, _ location: TrackedLocation) throws {
    location.lastSeen = states
    guard let kept = location.kept, kept.type == ObjectIdentifier(Value.self) else {
      if location.kept != nil { location.release() }
      location.kept = (ObjectIdentifier(Value.self), ChangeCopy(value))
      mark(location)
      if case .members = step(Value.self).way { try enterMembers(of: value, location) }
      return
    }
    let copy = unsafeDowncast(kept.value, to: ChangeCopy<Value>.self)
    guard !Self.isSame(value, copy.value) else { return }
    switch step(Value.self).way {
    case .members: try enterMembers(of: value, location)
    case .keys(let compare):
      withUnsafePointer(to: value) { value in
        withUnsafePointer(to: copy.value) { old in compare(old, value, self, location) }
      }
    case .whole(let count):
      mark(location)
      copied += withUnsafePointer(to: value) { value in count(value) }
    }
    copy.value = value
  }

  private static func isSame<Value>(_ one: Value, _ other: Value) -> Bool {
    withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { other in one.elementsEqual(other) } }
  }

  private func enterMembers<Value: Encodable>(of value: Value, _ location: TrackedLocation) throws {
    let outer = (isLost, expected)
    defer { (isLost, expected) = outer }
    (isLost, expected) = (false, 0)
    path.append(location)
    defer { path.removeLast() }
    try value.encode(to: VisitingEncoder(visitor: self, depth: path.count - 1))
    if isLost {
      steps[ObjectIdentifier(Value.self)] = ChangeStep(way: .whole { _ in 0 })
      location.releaseMembers()
      return mark(location)
    }
    for child in location.children where child.lastSeen != states && child.kept != nil {
      child.release()
      mark(child)
    }
    // A value can encode another one instead of itself in one state, and members in the next.
    if let inner = location.inner, inner.lastSeen != states, inner.kept != nil {
      inner.release()
      mark(location)
    }
  }

  fileprivate func child(_ name: String, of location: TrackedLocation) -> TrackedLocation {
    defer { expected += 1 }
    if expected < location.children.count, location.children[expected].name == name {
      return location.children[expected]
    }
    if let index = location.children.firstIndex(where: { child in child.name == name }) {
      expected = index
      return location.children[index]
    }
    let child = TrackedLocation(name, location.path.appending(name), in: location)
    location.children.append(child)
    return child
  }

  /// The location of the value that another one encodes instead of itself.
  fileprivate func inner(_ location: TrackedLocation) -> TrackedLocation {
    if let inner = location.inner { return inner }
    let inner = TrackedLocation(location.name, location.path, in: location.parent)
    location.inner = inner
    return inner
  }

  fileprivate func mark(_ location: TrackedLocation) {
    guard location.markedWhole != round else { return }
    location.markedWhole = round
    marks.append(location.path.whole)
    markBelow(location.parent)
  }

  fileprivate func markBelow(_ location: TrackedLocation?) {
    var location = location
    while let next = location, next.markedBelow != round {
      next.markedBelow = round
      marks.append(next.path.below)
      location = next.parent
    }
  }

  /// Adds the marks of a change of a row of a dictionary.
  fileprivate func mark(row name: String, in location: TrackedLocation) {
    marks.append(location.path.appending(name).whole)
    markBelow(location)
  }

  /// Adds the marks of the differences of two JSON values, whose objects share what is equal.
  fileprivate func mark(_ old: PatchedModel.State, _ new: PatchedModel.State, at path: ChangePath) {
    guard case .object(let oldMembers) = old, case .object(let members) = new else {
      if case .array(let elements) = new { copied += elements.count }
      return marks.append(path.whole)
    }
    marks.append(path.below)
    members.forEachKey(notSharedWith: oldMembers) { name in
      guard let old = oldMembers[name], let new = members[name] else {
        return marks.append(path.appending(name).whole)
      }
      mark(old, new, at: path.appending(name))
    }
  }

  private func step<Value: Encodable>(_ type: Value.Type) -> ChangeStep {
    if let step = steps[ObjectIdentifier(type)] { return step }
    let step = ChangeStep(type)
    steps[ObjectIdentifier(type)] = step
    if type is AnyClass { isTrackable = false }
    return step
  }
}

extension TrackedLocation {
  fileprivate func release() {
    kept = nil
    releaseMembers()
  }

  fileprivate func releaseMembers() {
    container = KeptMemberContainer()
    inner?.release()
    for child in children { child.release() }
  }
}

/// The cached way to compare two values of a type.
private struct ChangeStep {
  enum Way {
    /// Through the coding of the type.
    case members
    /// By key. Takes the addresses of the old and the new value.
    case keys(
      (_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ visit: ChangeVisit, _ location: TrackedLocation) -> Void)
    /// As a whole. The closure takes the address of a value and returns the number of its elements.
    case whole((UnsafeRawPointer) -> Int)
  }

  let way: Way

  init(way: Way) { self.way = way }

  init<Value: Encodable>(_ type: Value.Type) {
    if type == PatchedModel.State.self {
      way = .keys { old, new, visit, location in
        visit.mark(
          old.assumingMemoryBound(to: PatchedModel.State.self).pointee,
          new.assumingMemoryBound(to: PatchedModel.State.self).pointee, at: location.path)
        visit.markBelow(location.parent)
      }
    } else if let keyed = type as? any TrackedByKey.Type {
      way = .keys(Self.compare(keyed))
    } else if let counted = type as? any ProbedCount.Type {
      way = .whole(Self.count(counted))
    } else if ProbeStep(type).isPlain {
      way = .members
    } else {
      way = .whole { _ in 0 }
    }
  }

  private static func compare<Value: TrackedByKey>(
    _ type: Value.Type
  ) -> (UnsafeRawPointer, UnsafeRawPointer, ChangeVisit, TrackedLocation) -> Void {
    { old, new, visit, location in
      let old = old.assumingMemoryBound(to: Value.self)
      new.assumingMemoryBound(to: Value.self).pointee
        .forEachName(notSharedWith: old.pointee) { name in visit.mark(row: name, in: location) }
    }
  }

  private static func count<Value: ProbedCount>(_ type: Value.Type) -> (UnsafeRawPointer) -> Int {
    { value in value.assumingMemoryBound(to: Value.self).pointee.encodedCount }
  }
}

extension ChangeVisit: EncodingVisitor {
  func begin(_ kind: ValueShape.Kind, at depth: Int) {
    // The elements of an array differ as a whole.
    if kind == .array { isLost = true }
  }

  func visit<Value: Encodable>(_ value: Value, named name: String, at depth: Int) throws {
    if let location = location(at: depth) { try enter(value, child(name, of: location)) }
  }

  func visit<Value: Encodable>(_ value: Value, index: Int, at depth: Int) {}

  func visit<Value: Encodable>(replacement value: Value, at depth: Int) throws {
    if let location = location(at: depth) { try enter(value, inner(location)) }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key> {
    guard let location = location(at: depth) else {
      return KeptMemberContainer.container(keyedBy: type, of: self, at: depth)
    }
    return location.container.container(keyedBy: type, of: self, at: depth)
  }

  /// The location of a value that is being followed; `nil` for an encoder that a type has kept.
  private func location(at depth: Int) -> TrackedLocation? { depth < path.count ? path[depth] : nil }
}

/// A dictionary that finds the keys of the elements that it does not share with another version.
private protocol TrackedByKey: Encodable {
  func forEachName(notSharedWith other: Self, _ body: (String) -> Void)
}

extension TreeDictionary: TrackedByKey where Key == String, Value: Encodable {
  fileprivate func forEachName(notSharedWith other: Self, _ body: (String) -> Void) {
    forEachKey(notSharedWith: other, body)
  }
}
