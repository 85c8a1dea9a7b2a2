import Foundation
import JSONCoding
import Testing
import TreeCollections

/// A tree codes as the `Dictionary` of its elements, byte by byte, with every coder and every kind of key.
@Suite struct CodingTests {
  struct Name: Hashable, Codable, CodingKeyRepresentable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init?<Key: CodingKey>(codingKey: Key) {
      guard codingKey.stringValue.hasPrefix("#") else { return nil }
      text = String(codingKey.stringValue.dropFirst())
    }

    var codingKey: any CodingKey { "#\(text)".codingKey }
  }

  struct Point: Hashable, Codable, Sendable {
    let x: Int
    let y: Int
  }

  struct Wrapped<Table: Codable>: Codable {
    var before = 1
    let table: Table
    let list: [Table]
    var after: Table?
  }

  private func expectSameBytes<Key: Codable & Hashable, Value: Codable & Equatable>(
    _ dictionary: [Key: Value], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let tree = TreeDictionary(dictionary)
    for form in [JSONForm.declared, .canonical] {
      let encoder = StrictJSONEncoder(form: form)
      let bytes = try encoder.encode(dictionary)
      #expect(try encoder.encode(tree) == bytes, sourceLocation: sourceLocation)
      #expect(
        try encoder.encode(Wrapped(table: tree, list: [tree, [:]], after: tree))
          == encoder.encode(Wrapped(table: dictionary, list: [dictionary, [:]], after: dictionary)),
        sourceLocation: sourceLocation)
      let decoded = try StrictJSONDecoder().decode(TreeDictionary<Key, Value>.self, from: bytes)
      #expect(decoded == tree, sourceLocation: sourceLocation)
    }
  }

  @Test func allKindsOfKeysAreWrittenAsADictionaryWritesThem() throws {
    let numbers = Array(-20...120)
    try expectSameBytes([String: Int]())
    try expectSameBytes(Dictionary(uniqueKeysWithValues: numbers.map { ("k\($0)", $0) }))
    try expectSameBytes(Dictionary(uniqueKeysWithValues: numbers.map { ($0, ["\($0)": [$0]]) }))
    try expectSameBytes(Dictionary(uniqueKeysWithValues: numbers.map { (Name("\($0)"), Point(x: $0, y: 1)) }))
    try expectSameBytes(Dictionary(uniqueKeysWithValues: numbers.map { (Point(x: $0, y: -$0), $0) }))
    try expectSameBytes(Dictionary(uniqueKeysWithValues: numbers.map { (UInt64(bitPattern: Int64($0)), "\($0)") }))
    try expectSameBytes(["🦊": 1, "～": 2, "a\"": 3, "": 4])
  }

  @Test func treesInTreesAreSortedToo() throws {
    let inner: TreeDictionary = [2: true, 10: false, 1: true]
    let tree: TreeDictionary = ["b": inner, "a": [:]]
    let bytes = try StrictJSONEncoder().encode(tree)
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":{},"b":{"1":true,"10":false,"2":true}}"#)
  }

  @Test func foundationSeesADictionary() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let tree: TreeDictionary = ["fooBar": 1, "a": 2]
    let data = try encoder.encode(["tree": tree])
    #expect(data == (try encoder.encode(["tree": Dictionary(tree)])))
    #expect(try JSONDecoder().decode([String: TreeDictionary<String, Int>].self, from: data) == ["tree": tree])
  }

  @Test func keysThatSwiftTakesAsEqualAreRefused() {
    let text = Array(#"{"5":1,"05":2}"#.utf8)
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode(TreeDictionary<Int, Int>.self, from: text) }
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode([Int: Int].self, from: text) }
  }

  @Test func keysOfTheWrongTypeAreRefused() {
    let text = Array(#"{"a":1}"#.utf8)
    #expect(throws: DecodingError.self) { try StrictJSONDecoder().decode(TreeDictionary<Int, Int>.self, from: text) }
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode(TreeDictionary<Point, Int>.self, from: Array("[1]".utf8))
    }
  }
}
