public import JSONCoding

/// A document that describes the changes of another one by example (RFC 7396).
///
/// Members of the patch replace those of the target, members that are `null` remove them, and a value that is not an object
/// replaces the target. So a merge patch cannot set a member to `null` or change one element of an array.
public struct MergePatch: Hashable, Sendable {
  /// The patch document.
  public var document: JSONValue

  /// Creates a patch from a document. Every JSON value is a merge patch.
  public init(_ document: JSONValue) {
    self.document = document
  }

  /// Applies the patch.
  ///
  /// - Returns: The changed document.
  /// - Complexity: O(size of the patch).
  public func apply(to target: JSONValue) -> JSONValue {
    Self.merging(document, into: target)
  }

  private static func merging(_ patch: JSONValue, into target: JSONValue) -> JSONValue {
    guard case .object(let members) = patch else { return patch }
    var result = JSONObject()
    if case .object(let object) = target { result = object }
    for (name, value) in members {
      if value == .null {
        result[name] = nil
      } else {
        result[name] = merging(value, into: result[name] ?? .null)
      }
    }
    return .object(result)
  }
}

extension MergePatch {
  /// Makes the merge patch that turns one document into another.
  ///
  /// - Throws: ``TimeTravelError/Code/notRepresentable`` with the pointer of a `null` in the new document, which a merge patch
  ///   cannot write.
  /// - Complexity: That of comparing the documents; see ``StateDiff``.
  public init(from old: JSONValue, to new: JSONValue) throws(TimeTravelError) {
    self = try StateDiff(from: StateTree(old), to: StateTree(new)).mergePatch()
  }
}

extension StateDiff {
  /// Returns the differences as a merge patch from the old state to the new one.
  ///
  /// A changed array is written completely.
  ///
  /// - Throws: ``TimeTravelError/Code/notRepresentable`` with the pointer of a `null` in the new state, which a merge patch
  ///   cannot write.
  /// - Complexity: O(size of what changed).
  public func mergePatch() throws(TimeTravelError) -> MergePatch {
    guard let edit else {
      // An empty object changes no object; any other value is replaced by itself.
      if case .object = new.root { return MergePatch([:]) }
      return MergePatch(new.root)
    }
    return MergePatch(try mergeDocument(edit, at: .root))
  }

  private func mergeDocument(_ edit: StateEdit, at place: JSONPointer) throws(TimeTravelError) -> JSONValue {
    switch edit {
    case .replace(_, let value):
      return try mergeValue(value, at: place)
    case .array:
      return try mergeValue(try PointerLookup.value(at: place, in: new.root), at: place)
    case .object(let members):
      var document = JSONObject()
      for (name, edit) in members {
        switch edit {
        case .add(let value): document[name] = try mergeValue(value, at: place.appending(name))
        case .remove: document[name] = .null
        case .edit(let edit): document[name] = try mergeDocument(edit, at: place.appending(name))
        }
      }
      return .object(document)
    }
  }

  /// Checks that a merge patch can write a value: a `null` member would be dropped.
  private func mergeValue(_ value: JSONValue, at place: JSONPointer) throws(TimeTravelError) -> JSONValue {
    switch value {
    case .null where !place.tokens.isEmpty:
      throw TimeTravelError(
        .notRepresentable,
        "a merge patch cannot set \(PointerLookup.describe(place)) to null, because null removes; use a JSON Patch",
        pointer: place
      )
    case .object(let object):
      for (name, member) in object { _ = try mergeValue(member, at: place.appending(name)) }
    case .null, .bool, .number, .string, .array: break
    }
    return value
  }
}
