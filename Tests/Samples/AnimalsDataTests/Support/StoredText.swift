import JSONCoding

/// What a log stores of a value.
func storedText(_ value: some Encodable) throws -> String {
  String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self)
}
