import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct StateTreeTests {
  private let zoo = #"{"b":{"Dog":1,"Cat":[10,20,30],"":"empty","a/b":{"m~n":true}},"a":[],"s":"text","n":null}"#

  @Test func membersAreSortedByTheBytesOfTheirNames() throws {
    let sorted = try tree(#"{"é":0,"z":{"b":1,"a":2},"a":[{"d":1,"c":2}],"e\#u{301}":3}"#)
    #expect(
      String(decoding: sorted.root.bytes(), as: UTF8.self)
        == String(decoding: sorted.root.bytes(.canonical), as: UTF8.self))
    #expect(sorted == (try tree(#"{"a":[{"c":2,"d":1}],"e\#u{301}":3,"z":{"a":2,"b":1},"é":0}"#)))
  }

  @Test(arguments: [
    ("", #"{"a":[],"b":{"":"empty","Cat":[10,20,30],"Dog":1,"a/b":{"m~n":true}},"n":null,"s":"text"}"#),
    ("/b/Dog", "1"), ("/b/Cat/2", "30"), ("/b/", "\"empty\""), ("/b/a~1b/m~0n", "true"), ("/n", "null"),
  ])
  func pointersLeadToValues(pointer: String, value: String) throws {
    let pointer = try JSONPointer(parsing: pointer)
    #expect(try tree(zoo).value(at: pointer) == json(value))
    #expect(try tree(zoo)[pointer] == json(value))
    #expect(try StateTree(tree(zoo).value(at: pointer)) == tree(value))
  }

  @Test(arguments: [
    ("/x", #"nothing at /x: the object at the root has no member "x""#),
    ("/b/Dgo", #"nothing at /b/Dgo: the object at /b has no member "Dgo". Did you mean "Dog"?"#),
    ("/b/cat/1", #"nothing at /b/cat/1: the object at /b has no member "cat". Did you mean "Cat"?"#),
    ("/b/Elephant", #"nothing at /b/Elephant: the object at /b has no member "Elephant""#),
    ("/b/Cat/3", "nothing at /b/Cat/3: the array at /b/Cat has the elements 0…2"),
    (
      "/b/Cat/-",
      #"nothing at /b/Cat/-: "-" is the position after the last element of the array at /b/Cat, which has no value"#
    ),
    ("/b/Cat/01", #"nothing at /b/Cat/01: "01" is not an index of the array at /b/Cat"#),
    ("/b/Cat/one", #"nothing at /b/Cat/one: "one" is not an index of the array at /b/Cat"#),
    ("/b/Cat/99999999999999999999", "nothing at /b/Cat/99999999999999999999: the array at /b/Cat has the elements 0…2"),
    ("/a/0", "nothing at /a/0: the array at /a is empty"),
    ("/s/length", "nothing at /s/length: the value at /s is a string, which has no members"),
    ("/b/Dog/x/y", "nothing at /b/Dog/x/y: the value at /b/Dog is a number, which has no members"),
    ("/n/x", "nothing at /n/x: the value at /n is null"),
    ("/", #"nothing at /: the object at the root has no member "" (the pointer to the root is empty: '')"#),
    (
      "/b/Cat/",
      #"nothing at /b/Cat/: "" is not an index of the array at /b/Cat (a pointer to the value itself does not end with '/')"#
    ),
    ("/b/a~1b/\u{1B}[2J", #"nothing at /b/a~1b/\u001b[2J: the object at /b/a~1b has no member "\u001b[2J""#),
  ])
  func missingValuesAreExplained(pointer: String, message: String) throws {
    let pointer = try JSONPointer(parsing: pointer)
    let tree = try tree(zoo)
    let error = #expect(throws: TimeTravelError.self) { try tree.value(at: pointer) }
    #expect(error?.code == .notFound)
    #expect(error?.pointer == pointer)
    #expect(error?.description == message)
    #expect(tree[pointer] == nil)
  }

  @Test func namesThatLookTheSameAreSpelledOut() throws {
    let tree = try tree("{\"\u{e9}\":1}")
    let error = #expect(throws: TimeTravelError.self) { try tree.value(at: JSONPointer(["e\u{301}"])) }
    #expect(error?.description.contains(#": it has "\u00e9", not "e\u0301". Did you mean"#) == true, "\(error as Any)")
  }

  @Test(arguments: Seeds.batches)
  func everyListedPathLeadsToItsValue(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 200) {
      var generator = JSONGenerator(seed: seed)
      let tree = StateTree(generator.value())
      for pointer in tree.root.paths() {
        #expect(throws: Never.self, "seed \(seed), \(pointer)") { try tree.value(at: pointer) }
        #expect(try JSONPointer(parsing: pointer.description) == pointer, "seed \(seed)")
      }
    }
  }

  @Test func treeIsTheCanonicalForm() throws {
    struct Key: Hashable, Codable { var x: Int }
    struct State: Encodable {
      var tags: Set<String> = ["b", "c", "a"]
      var byName = ["z": 1, "a": 2]
      var byKey = [Key(x: 2): "two", Key(x: 1): "one"]
      var nothing: Int?
    }
    #expect(
      try StateTree(encoding: State())
        == tree(#"{"byKey":[{"x":1},"one",{"x":2},"two"],"byName":{"a":2,"z":1},"tags":["a","b","c"]}"#))
    #expect(try StateTree(encoding: 7).root == 7)
  }
}
