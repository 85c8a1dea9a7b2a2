/// A dictionary with string keys, which is written member by member.
///
/// The standard library's own coding creates a key and calls a container for each member; the result is the same.
protocol EncodableDictionary {
  /// Encodes the members into an open object.
  func encodeMembers(to state: EncodingState, _ object: EncodingHandle) throws
}

extension Dictionary: EncodableDictionary where Key == String, Value: Encodable {
  func encodeMembers(to state: EncodingState, _ object: EncodingHandle) throws {
    // An iterator would create a pair for each member, whose type is looked up each time if the value's type is not
    // known.
    let (names, values) = (self.keys, self.values)
    var index = startIndex
    while index != endIndex {
      try state.encodeMember(values[index], names[index], in: object)
      formIndex(after: &index)
    }
  }
}
