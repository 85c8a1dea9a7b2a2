import JSONCoding
import TestSupport
import Testing

/// Any container that is still open may be used next: it closes those in it.
@Suite struct ContainerOrderTests {
  /// The expected contents of a container.
  final class Expected {
    enum Content {
      case scalar(Int)
      case object([(name: String, value: Expected)])
      case array([Expected])
    }

    var content: Content

    init(_ content: Content) {
      self.content = content
    }

    var json: JSONValue {
      switch content {
      case .scalar(let value): .number(JSONNumber(value))
      case .object(let members): .object(JSONObject(members.map { (name: $0.name, value: $0.value.json) }))
      case .array(let elements): .array(elements.map(\.json))
      }
    }

    func append(_ child: Expected) -> String {
      switch content {
      case .object(var members):
        let name = "\(["z", "a", "é", "\""][members.count % 4])\(members.count)"
        members.append((name, child))
        content = .object(members)
        return name
      case .array(let elements):
        content = .array(elements + [child])
        return ""
      case .scalar: return ""
      }
    }
  }

  /// A container or encoder that is open, with what it should come to hold.
  enum Place {
    case members(KeyedEncodingContainer<ZooKey>, Expected)
    case elements(any UnkeyedEncodingContainer, Expected)
    case encoder(any Encoder, Expected)
  }

  /// Does random things with random open containers, all within one call of `encode(to:)`.
  private func fill(_ encoder: any Encoder, _ root: Expected, _ generator: inout SeededGenerator) throws {
    var places: [Place] = [.members(encoder.container(keyedBy: ZooKey.self), root)]
    for step in 0..<60 {
      let index = Int.random(in: 0..<places.count, using: &generator)
      places.removeSubrange((index + 1)...)
      switch places[index] {
      case .members(var container, let expected):
        try fill(&container, expected, step, &places, &generator)
      case .elements(var container, let expected):
        try fill(&container, expected, step, &places, &generator)
      case .encoder(let encoder, let expected):
        places.remove(at: index)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: places.append(.members(encoder.container(keyedBy: ZooKey.self), expected))
        case 1:
          expected.content = .array([])
          places.append(.elements(encoder.unkeyedContainer(), expected))
        default:
          expected.content = .scalar(step)
          var container = encoder.singleValueContainer()
          try container.encode(step)
        }
      }
    }
  }

  private func fill(
    _ container: inout KeyedEncodingContainer<ZooKey>, _ expected: Expected, _ step: Int, _ places: inout [Place],
    _ generator: inout SeededGenerator
  ) throws {
    let child = Expected(.scalar(step))
    let key = ZooKey(expected.append(child))
    switch Int.random(in: 0...4, using: &generator) {
    case 0: try container.encode(step, forKey: key)
    case 1:
      try container.encode(ZooPoint(x: 1, y: step), forKey: key)
      child.content = .object([("y", Expected(.scalar(step))), ("x", Expected(.scalar(1)))])
    case 2:
      child.content = .object([])
      places.append(.members(container.nestedContainer(keyedBy: ZooKey.self, forKey: key), child))
    case 3:
      child.content = .array([])
      places.append(.elements(container.nestedUnkeyedContainer(forKey: key), child))
    default:
      child.content = .object([])
      places.append(.encoder(container.superEncoder(forKey: key), child))
    }
  }

  private func fill(
    _ container: inout any UnkeyedEncodingContainer, _ expected: Expected, _ step: Int, _ places: inout [Place],
    _ generator: inout SeededGenerator
  ) throws {
    let child = Expected(.scalar(step))
    _ = expected.append(child)
    switch Int.random(in: 0...4, using: &generator) {
    case 0: try container.encode(step)
    case 1:
      try container.encode([step, 0])
      child.content = .array([Expected(.scalar(step)), Expected(.scalar(0))])
    case 2:
      child.content = .object([])
      places.append(.members(container.nestedContainer(keyedBy: ZooKey.self), child))
    case 3:
      child.content = .array([])
      places.append(.elements(container.nestedUnkeyedContainer(), child))
    default:
      child.content = .object([])
      places.append(.encoder(container.superEncoder(), child))
    }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func openContainersAreFilledInAnyOrder(seed: UInt64) throws {
    for form in [JSONForm.declared, .canonical] {
      var generator = SeededGenerator(seed: seed)
      let root = Expected(.object([]))
      // The value is nested in another one, so that there are bytes before and after it.
      let outer = Encoded { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(["b": 1, "a": 2])
        try container.encode(Encoded { try self.fill($0, root, &generator) })
        try container.encode("end")
      }
      let bytes = try StrictJSONEncoder(form: form).encode(outer)
      let expected: JSONValue = [["a": 2, "b": 1], root.json, "end"]
      #expect(bytes == expected.bytes(form), "seed \(seed)")
    }
  }
}
