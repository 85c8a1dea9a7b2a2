public import JSONCoding

/// Reads the value at one place of a state, without encoding the rest of the state.
///
/// The result is that of ``StateTree``: the value that the pointer has in the canonical form. A probe follows the pointer through the
/// state's own coding. It skips members that lie elsewhere, and asks arrays and dictionaries for the one element or key. A part that
/// has no order of its own (a `Set`, or an index into a dictionary that is encoded as an array), and a part that encodes itself in an
/// unusual way (nested containers, `superEncoder`), is encoded as a whole, again only after it was written.
///
/// A state is a value. A probe does not notice that an object in it was written while the reference to it stayed the same, unless the
/// object is the very value at the place.
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

  /// The value at the place; `nil` if the state has nothing there. The same object as before means the same value.
  func known(in state: State) throws -> KnownValue? {
    try visit.value(in: state)
  }

  /// Bytes that had to be encoded to find values, without those that comparing them takes.
  var bytesEncoded: Int { visit.bytesEncoded }

  /// The value at the place; `nil` if the state has nothing there.
  ///
  /// - Throws: What the state's own coding throws, or `JSONError` when the value breaks a rule of the format.
  /// - Complexity: O(members on the way + size of the value), without the members of dictionaries whose keys are strings;
  ///   benchmark `blame: who changed a value last`.
  public func value(in state: State) throws -> JSONValue? {
    var work = 0
    return try known(in: state)?.json(counting: &work)
  }

  /// How many elements, members or characters the value at the place has; `nil` if there is nothing, or something that has none.
  ///
  /// - Throws: As ``value(in:)``.
  /// - Complexity: O(members on the way and of the value itself); what they hold is not encoded.
  public func count(in state: State) throws -> Int? {
    try visit.count(in: state)
  }

  /// Whether there is a value at the place.
  func isThere(in state: State) throws -> Bool { try visit.isThere(in: state) }
}
