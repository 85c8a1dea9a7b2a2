import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct JSONPatchTests {
  /// RFC 6902, appendix A, the examples that succeed: number, document, patch, result.
  private static let appendix: [(String, String, String, String)] = [
    ("A.1", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
    (
      "A.2", #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
      #"{"foo":["bar","qux","baz"]}"#
    ),
    ("A.3", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    ("A.4", #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
    (
      "A.5", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
      #"{"baz":"boo","foo":"bar"}"#
    ),
    (
      "A.6", #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
    ),
    (
      "A.7", #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
      #"{"foo":["all","cows","eat","grass"]}"#
    ),
    (
      "A.8", #"{"baz":"qux","foo":["a",2,"c"]}"#,
      #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
      #"{"baz":"qux","foo":["a",2,"c"]}"#
    ),
    (
      "A.10", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
      #"{"foo":"bar","child":{"grandchild":{}}}"#
    ),
    (
      "A.11", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
      #"{"foo":"bar","baz":"qux"}"#
    ),
    ("A.14", #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
    (
      "A.16", #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
      #"{"foo":["bar",["abc","def"]]}"#
    ),
  ]

  @Test(arguments: appendix)
  func examplesOfTheRFCApply(number: String, document: String, patch: String, result: String) throws {
    let patch = try JSONPatch(parsing: patch.utf8)
    #expect(try patch.apply(to: json(document)) == json(result), "\(number)")
  }

  @Test(arguments: [
    ("A.9", #"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#, TimeTravelError.Code.testFailed),
    ("A.12", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, .patchFailed),
    ("A.15", #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#, .testFailed),
  ])
  func examplesOfTheRFCFail(
    number: String, document: String, patch: String, code: TimeTravelError.Code
  ) throws {
    let patch = try JSONPatch(parsing: patch.utf8)
    let document = try json(document)
    let error = #expect(throws: TimeTravelError.self, "\(number)") { try patch.apply(to: document) }
    #expect(error?.code == code)
    #expect(error?.operation == 0)
  }

  @Test(arguments: [
    // A.13: the same member twice.
    (
      #"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#,
      "a patch is a JSON text: "
    ),
    ("{}", "a patch is an array of operations"),
    ("[1]", "operation 0: an operation is an object"),
    (#"[{"op":"test","path":"","value":1},{"path":"/a"}]"#, #"operation 1: the member "op" is missing"#),
    (#"[{"op":1}]"#, #"operation 0: the member "op" is a string"#),
    (
      #"[{"op":"ad","path":"/a","value":1}]"#, #"operation 0: there is no operation "ad". Did you mean "add"?"#
    ),
    (#"[{"op":"spam","path":"/a"}]"#, #"operation 0: there is no operation "spam""#),
    (#"[{"op":"add","value":1}]"#, #"operation 0: the member "path" is missing"#),
    (#"[{"op":"add","path":"/a"}]"#, #"operation 0: the member "value" is missing"#),
    (#"[{"op":"move","path":"/a"}]"#, #"operation 0: the member "from" is missing"#),
    (#"[{"op":"remove","path":"a"}]"#, #"operation 0: "a" in "path" is not a JSON Pointer"#),
    (#"[{"op":"copy","path":"/a","from":"/~2"}]"#, #"operation 0: "/~2" in "from" is not a JSON Pointer"#),
  ])
  func invalidPatchesAreRefused(document: String, message: String) {
    let error = #expect(throws: TimeTravelError.self) { try JSONPatch(parsing: document.utf8) }
    #expect(error?.code == .invalidPatch)
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (
      #"{"op":"remove","path":"/lst"}"#,
      #"cannot remove: nothing at /lst: the object at the root has no member "lst". Did you mean "list"?"#
    ),
    (#"{"op":"remove","path":""}"#, "cannot remove: the whole document cannot be removed, only replaced"),
    (#"{"op":"replace","path":"/x/y","value":1}"#, "cannot replace: nothing at /x/y: the value at /x is null"),
    (
      #"{"op":"add","path":"/list/4","value":1}"#,
      "cannot add: nothing at /list/4: the array at /list has the elements 0…2"
    ),
    (
      #"{"op":"add","path":"/list/00","value":1}"#,
      #"cannot add: nothing at /list/00: "00" is not an index of the array at /list"#
    ),
    (#"{"op":"move","from":"/list","path":"/list/0"}"#, "cannot move: /list/0 is inside /list itself"),
    (#"{"op":"move","from":"","path":"/a"}"#, "cannot move: /a is inside the root itself"),
    (#"{"op":"copy","from":"/list/-","path":"/a"}"#, #"cannot copy: nothing at /list/-: "-" is the position after"#),
    (#"{"op":"test","path":"/list","value":[1,2]}"#, "cannot test: the value at /list is [1,2,3], not [1,2]"),
  ])
  func failedOperationsAreExplained(operation: String, message: String) throws {
    let patch = try JSONPatch(parsing: #"[{"op":"test","path":"/x","value":null},\#(operation)]"#.utf8)
    let document = try json(#"{"list":[1,2,3],"x":null}"#)
    let error = #expect(throws: TimeTravelError.self) { try patch.apply(to: document) }
    #expect(error?.operation == 1)
    #expect(error?.description.hasPrefix("operation 1: \(message)") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    (#"{"op":"add","path":"","value":7}"#, "7"),
    (#"{"op":"replace","path":"","value":[]}"#, "[]"),
    (#"{"op":"move","from":"/list","path":""}"#, "[1,2,3]"),
    (#"{"op":"copy","from":"","path":"/self"}"#, #"{"list":[1,2,3],"x":null,"self":{"list":[1,2,3],"x":null}}"#),
    (#"{"op":"move","from":"/x","path":"/x"}"#, #"{"list":[1,2,3],"x":null}"#),
    (#"{"op":"add","path":"/x","value":1}"#, #"{"list":[1,2,3],"x":1}"#),
    (#"{"op":"add","path":"/list/3","value":4}"#, #"{"list":[1,2,3,4],"x":null}"#),
    (#"{"op":"copy","from":"/list/0","path":"/list/-"}"#, #"{"list":[1,2,3,1],"x":null}"#),
    (#"{"op":"test","path":"/list","value":[1.0,2e0,30E-1]}"#, #"{"list":[1,2,3],"x":null}"#),
  ])
  func operationsOnUnusualPathsApply(operation: String, result: String) throws {
    let patch = try JSONPatch(parsing: "[\(operation)]".utf8)
    #expect(try patch.apply(to: json(#"{"list":[1,2,3],"x":null}"#)) == json(result))
  }

  @Test(arguments: [
    ("0", "-0.0", true), ("1e2", "100", true), ("-1.50", "-15e-1", true), ("0e5", "0", true), ("1", "-1", false),
    ("1", "10", false), ("1e-3", "0.001", true), ("123456789012345678901", "123456789012345678902", false),
    ("1e99999999999999999999", "1e99999999999999999999", true),
    ("1e99999999999999999999", "1e99999999999999999998", false),
  ])
  func testOperationComparesNumbersByValue(stored: String, tested: String, passes: Bool) throws {
    let patch = JSONPatch([.test(path: .root, value: try json(tested))])
    let document = try json(stored)
    if passes {
      #expect(try patch.apply(to: document) == document)
    } else {
      let error = #expect(throws: TimeTravelError.self) { try patch.apply(to: document) }
      #expect(error?.code == .testFailed)
    }
  }

  @Test(arguments: Seeds.batches)
  func patchLeadsExactlyToTheNewDocument(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 4000) {
      var generator = JSONGenerator(seed: seed)
      let old = generator.value()
      let new = seed.isMultiple(of: 4) ? generator.value() : generator.changing(generator.changing(old))
      let patch = JSONPatch(from: old, to: new, includingTests: seed.isMultiple(of: 2))
      #expect(try patch.apply(to: old) == new, "seed \(seed): \(old) → \(new): \(patch.document)")
      #expect(try JSONPatch(parsing: patch.bytes()) == patch, "seed \(seed)")
      #expect(patch.operations.isEmpty == (old == new), "seed \(seed)")
    }
  }

  @Test func operationsAreInOrder() throws {
    let diff = try diff(#"{"a":[1,2,3,4],"b":{"~/":1},"c":0}"#, #"{"a":[2,9,4,5],"b":{"~/":2},"d":null}"#)
    #expect(
      String(decoding: diff.jsonPatch(includingTests: true).bytes(), as: UTF8.self)
        == #"[{"op":"test","path":"/a/0","value":1},{"op":"remove","path":"/a/0"},"#
        + #"{"op":"test","path":"/a/1","value":3},{"op":"replace","path":"/a/1","value":9},"#
        + #"{"op":"add","path":"/a/3","value":5},"#
        + #"{"op":"test","path":"/b/~0~1","value":1},{"op":"replace","path":"/b/~0~1","value":2},"#
        + #"{"op":"test","path":"/c","value":0},{"op":"remove","path":"/c"},"#
        + #"{"op":"add","path":"/d","value":null}]"#)
  }
}
