extension JSONValue: Codable {
  /// Encodes the value as it is; ``StrictJSONEncoder`` keeps the texts of numbers, other encoders get a double or an integer.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let object):
      var container = encoder.container(keyedBy: JSONCodingKey.self)
      for member in object { try container.encode(member.value, forKey: JSONCodingKey(name: member.name)) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .number(let number):
        if number.isInteger, let value = number.int {
          try container.encode(value)
        } else {
          try container.encode(number.double)
        }
      default: try container.encodeNil()
      }
    }
  }

  /// Decodes any value; ``StrictJSONDecoder`` keeps the texts of numbers, other decoders give a double or an integer.
  public init(from decoder: any Decoder) throws {
    // `Decoder` cannot be asked what comes next: trying is the only way, and a refusal is an answer, not a failure.
    if let container = try? decoder.container(keyedBy: JSONCodingKey.self) {
      var object = JSONObject()
      for key in container.allKeys {
        object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
    } else {
      self = try JSONValue(scalarFrom: decoder.singleValueContainer())
    }
  }

  private init(scalarFrom container: any SingleValueDecodingContainer) throws {
    // As above: trying is how a container is asked for its type. The last attempt throws when none of them fits.
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .number(JSONNumber(value))
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let number = JSONNumber(try container.decode(Double.self)) {
      self = .number(number)
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number is not finite")
    }
  }
}
