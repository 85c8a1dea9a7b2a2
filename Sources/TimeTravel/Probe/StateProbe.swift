public import JSONCoding

/// Reads the value at one place of a state, without encoding the rest of the state.
///
/// The answer is that of ``StateTree``: the value that the pointer has in the canonical form. A probe asks the state's own coding
/// for it and follows the pointer on the way: members that lie elsewhere are skipped, and a dictionary whose keys are strings is
/// asked for the one key. Where a part of a state has no order of its own (a `Set`, a dictionary with other keys), or encodes
/// itself in an unusual way (nested containers, `superEncoder`), that part is encoded as a whole.
///
/// A state is a value: that an object in it was written while the reference to it stayed the same is not seen, unless the object is
/// the very value that is asked for.
///
/// A probe keeps what it learned of the types on the way, so one that is asked often is to be kept. It is a class of its own
/// and is not shared between threads.
public final class StateProbe<State: Encodable> {
  /// The place.
  public let pointer: JSONPointer

  private let visit: ProbeVisit

  /// Makes a probe for a place, which a state need not have.
  public init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.visit = ProbeVisit(pointer)
  }

  deinit { visit.end() }

  /// Whether the value is known to be the one that was found in the state before, without comparing them. `false` says nothing.
  var isRepeated: Bool { visit.isRepeated }

  /// The value at the place; `nil` if the state has nothing there.
  ///
  /// - Throws: What the state's own coding throws, or `JSONError` when the value breaks a rule of the format.
  /// - Complexity: O(members on the way + size of the value), without the members of dictionaries whose keys are strings;
  ///   benchmark `blame: who changed a value last`.
  public func value(in state: State) throws -> JSONValue? {
    try visit.value(in: state)
  }

  /// How many elements, members or characters the value at the place has; `nil` if there is nothing, or something that has none.
  ///
  /// - Throws: As ``value(in:)``.
  /// - Complexity: O(members on the way); arrays, sets and dictionaries whose keys are strings are not encoded.
  public func count(in state: State) throws -> Int? {
    try visit.count(in: state)
  }
}
