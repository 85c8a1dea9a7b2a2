import JSONCoding
import Testing
import TimeTravel

extension JSONPatch {
  /// Applies the operations, as RFC 6902 defines them.
  func apply(to document: JSONValue) throws -> JSONValue {
    var result = document
    for operation in operations {
      switch operation {
      case .add(let path, let value): try result.add(value, at: path)
      case .remove(let path):
        _ = try #require(result[path])
        try result.update(at: path) { place in place = nil }
      case .replace(let path, let value):
        _ = try #require(result[path])
        try result.update(at: path) { place in place = value }
      case .move(let from, let path):
        let value = try #require(result[from])
        try result.update(at: from) { place in place = nil }
        try result.add(value, at: path)
      case .copy(let from, let path): try result.add(try #require(result[from]), at: path)
      case .test(let path, let value): #expect(result[path] == .some(value))
      }
    }
    return result
  }
}

extension JSONValue {
  fileprivate mutating func add(_ value: JSONValue, at path: JSONPointer) throws {
    guard let parent = path.parent, let token = path.tokens.last, case .array(var elements)? = self[parent] else {
      return try update(at: path) { place in place = value }
    }
    elements.insert(value, at: token == "-" ? elements.count : try #require(JSONPointer.index(of: token)))
    try update(at: parent) { place in place = .array(elements) }
  }
}
