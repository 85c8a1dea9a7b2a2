/// The encoder that a value is given to encode itself.
struct SlotEncoder: Encoder {
  let owner: EncodingOwner
  let handle: EncodingHandle

  /// The type of key that dictionaries use, which the standard library does not name in public.
  private static let dictionaryKey = ObjectIdentifier(type(of: "".codingKey))

  private var state: EncodingState {
    @inline(__always) get { owner.state }
  }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  var userInfo: [CodingUserInfoKey: Any] { owner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // A dictionary that a type encodes by calling it directly shows itself by its keys.
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
