public import JSONCoding

extension StateDiff {
  /// Returns the differences as a merge patch (RFC 7396) from the old state to the new one.
  ///
  /// Members of the patch replace those of the state, members that are `null` remove them, and a value that is not an object replaces
  /// the state. A changed array is written completely.
  ///
  /// - Throws: ``TimeTravelError/Code/notRepresentable`` with the pointer of a `null` in the new state, which a merge patch
  ///   cannot write.
  public func mergePatch() throws(TimeTravelError) -> JSONValue {
    guard let edit else {
      // An empty object changes no object; any other value is replaced by itself.
      if case .object = new.root { return [:] }
      return new.root
    }
    return try mergeDocument(edit, at: .root)
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
