/// The encoder that a value receives to encode itself.
struct SlotEncoder: Encoder {
  let owner: EncodingOwner
  let handle: EncodingHandle

  /// The type of the keys of dictionaries, which is not public in the standard library.
  private static let dictionaryKey = ObjectIdentifier(type(of: "".codingKey))

  private var state: EncodingState {
    @inline(__always) get { owner.state }
  }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  var userInfo: [CodingUserInfoKey: Any] { owner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // If a type calls `encode(to:)` of a dictionary directly, only its keys identify it.
    let isDictionary = ObjectIdentifier(type) == SlotEncoder.dictionaryKey
    let handle = state.container(.object, at: handle, isDictionary: isDictionary)
    return state.container(keyedBy: type, handle)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(owner: owner, handle: state.container(.array, at: handle))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoding(owner: owner, handle: handle)
  }
}
