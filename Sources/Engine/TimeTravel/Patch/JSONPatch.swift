public import JSONCoding

/// A list of operations that turn one JSON document into another, as RFC 6902 defines them.
///
/// A patch is a value; it is applied with ``apply(to:)`` and made from a difference with ``init(from:to:includingTests:)``
/// or ``StateDiff/jsonPatch(includingTests:)``.
public struct JSONPatch: Hashable, Sendable {
  /// One step of a patch.
  public enum Operation: Hashable, Sendable {
    /// Puts a member in place, or inserts an element before the one at the index; `-` appends.
    case add(path: JSONPointer, value: JSONValue)
    /// Takes a member or an element away.
    case remove(path: JSONPointer)
    /// Puts another value in the place of one that is there.
    case replace(path: JSONPointer, value: JSONValue)
    /// Takes a value away and adds it somewhere else.
    case move(from: JSONPointer, path: JSONPointer)
    /// Adds a value somewhere else, too.
    case copy(from: JSONPointer, path: JSONPointer)
    /// Goes on only if the value there is equal to this one; numbers are equal if their values are.
    case test(path: JSONPointer, value: JSONValue)
  }

  /// The steps, in the order in which they are applied.
  public var operations: [Operation]

  /// Makes a patch from its steps.
  public init(_ operations: [Operation] = []) {
    self.operations = operations
  }
}

extension JSONPatch.Operation {
  /// What the operation is called in a document.
  public var name: String {
    switch self {
    case .add: "add"
    case .remove: "remove"
    case .replace: "replace"
    case .move: "move"
    case .copy: "copy"
    case .test: "test"
    }
  }

  /// The place that the operation is about.
  public var path: JSONPointer {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
      .test(let path, _):
      path
    }
  }
}
