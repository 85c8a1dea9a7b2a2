/// A dictionary whose keys are strings, which is written member by member.
///
/// The standard library's own coding makes a key and asks a container for each member; the result is the same.
protocol EncodableDictionary {
  func encode(to state: EncodingState, key: Int) throws
}

extension Dictionary: EncodableDictionary where Key == String, Value: Encodable {
  func encode(to state: EncodingState, key: Int) throws {
    let slot = try state.storage.pointee.openSlot(key, unit: 1)
    state.storage.pointee.openContainer(.object, isDictionary: true)
    for (name, value) in self { try state.encodeMember(value, name, in: slot) }
    try state.storage.pointee.closeSlot(slot)
  }
}
