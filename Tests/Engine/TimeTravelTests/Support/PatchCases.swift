/// A patch of a document, and the document after it; `nil` if the patch does not apply.
struct PatchCase: Sendable {
  let document: String
  let patch: String
  let expected: String?

  init(_ document: String, _ patch: String, _ expected: String?) {
    (self.document, self.patch, self.expected) = (document, patch, expected)
  }
}

extension PatchCase {
  /// Cases of the conformance tests of RFC 6902.
  ///
  /// Source: https://github.com/json-patch/json-patch-tests, tests.json (Apache License 2.0), written anew as a table without the cases
  /// that it disables, except for those whose documents are a scalar or that replace the document.
  static let conformance: [PatchCase] = [
    PatchCase("{}", "[]", "{}"),
    PatchCase(#"{"foo":1,"bar":2}"#, "[]", #"{"bar":2,"foo":1}"#),
    PatchCase(#"{"foo":null}"#, #"[{"op":"add","path":"/foo","value":1}]"#, #"{"foo":1}"#),
    PatchCase("[]", #"[{"op":"add","path":"/0","value":"foo"}]"#, #"["foo"]"#),
    PatchCase("{}", #"[{"op":"add","path":"/foo","value":"1"}]"#, #"{"foo":"1"}"#),
    PatchCase(#""foo""#, #"[{"op":"replace","path":"","value":"bar"}]"#, #""bar""#),
    PatchCase("{}", #"[{"op":"add","path":"","value":[]}]"#, "[]"),
    PatchCase("[]", #"[{"op":"add","path":"","value":{}}]"#, "{}"),
    PatchCase("[]", #"[{"op":"add","path":"/-","value":"hi"}]"#, #"["hi"]"#),
    PatchCase("{}", #"[{"op":"add","path":"/","value":1}]"#, #"{"":1}"#),
    PatchCase(#"{"foo":{}}"#, #"[{"op":"add","path":"/foo/","value":1}]"#, #"{"foo":{"":1}}"#),
    PatchCase(
      #"{"foo":1,"baz":[{"qux":"hello"}]}"#, #"[{"op":"add","path":"/baz/0/foo","value":"world"}]"#,
      #"{"foo":1,"baz":[{"qux":"hello","foo":"world"}]}"#),
    PatchCase(#"{"bar":[1,2]}"#, #"[{"op":"add","path":"/bar/8","value":"5"}]"#, nil),
    PatchCase(#"{"bar":[1,2]}"#, #"[{"op":"add","path":"/bar/-1","value":"5"}]"#, nil),
    PatchCase(#"{"foo":1}"#, #"[{"op":"add","path":"/bar","value":true}]"#, #"{"foo":1,"bar":true}"#),
    PatchCase(#"{"foo":1}"#, #"[{"op":"add","path":"/bar","value":null}]"#, #"{"foo":1,"bar":null}"#),
    PatchCase(#"{"foo":1}"#, #"[{"op":"add","path":"/0","value":"bar"}]"#, #"{"foo":1,"0":"bar"}"#),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/1","value":"bar"}]"#, #"["foo","bar","sil"]"#),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/0","value":"bar"}]"#, #"["bar","foo","sil"]"#),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/2","value":"bar"}]"#, #"["foo","sil","bar"]"#),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/3","value":"bar"}]"#, nil),
    PatchCase(#"{"1e0":"foo"}"#, #"[{"op":"test","path":"/1e0","value":"foo"}]"#, #"{"1e0":"foo"}"#),
    PatchCase(#"["foo","bar"]"#, #"[{"op":"test","path":"/1e0","value":"bar"}]"#, nil),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/bar","value":42}]"#, nil),
    PatchCase(#"["foo","sil"]"#, #"[{"op":"add","path":"/1","value":["a","b"]}]"#, #"["foo",["a","b"],"sil"]"#),
    PatchCase(#"{"foo":1,"bar":[1,2,3,4]}"#, #"[{"op":"remove","path":"/bar"}]"#, #"{"foo":1}"#),
    PatchCase(#"{"baz":[{"qux":"hello"}]}"#, #"[{"op":"remove","path":"/baz/0/qux"}]"#, #"{"baz":[{}]}"#),
    PatchCase(
      #"{"foo":1,"baz":[{"qux":"hello"}]}"#, #"[{"op":"replace","path":"/foo","value":[1,2]}]"#,
      #"{"foo":[1,2],"baz":[{"qux":"hello"}]}"#),
    PatchCase(#"[""]"#, #"[{"op":"replace","path":"/0","value":null}]"#, "[null]"),
    PatchCase(#"{"foo":"bar"}"#, #"[{"op":"replace","path":"","value":{"baz":"qux"}}]"#, #"{"baz":"qux"}"#),
    PatchCase(#"{"bar":"baz"}"#, #"[{"op":"replace","path":"/foo/bar","value":false}]"#, nil),
    PatchCase(#"{"foo":1}"#, #"[{"op":"test","path":"/foo","value":1,"spurious":1}]"#, #"{"foo":1}"#),
    PatchCase(#"{"foo":null}"#, #"[{"op":"test","path":"/foo","value":null}]"#, #"{"foo":null}"#),
    PatchCase(#"{"foo":null}"#, #"[{"op":"move","from":"/foo","path":"/bar"}]"#, #"{"bar":null}"#),
    PatchCase(#"{"foo":null}"#, #"[{"op":"copy","from":"/foo","path":"/bar"}]"#, #"{"foo":null,"bar":null}"#),
    PatchCase(#"{"foo":null}"#, #"[{"op":"remove","path":"/foo"}]"#, "{}"),
    PatchCase(
      #"{"foo":[{"foo":1,"bar":2}]}"#, #"[{"op":"test","path":"/foo","value":[{"bar":2,"foo":1}]}]"#,
      #"{"foo":[{"foo":1,"bar":2}]}"#),
    PatchCase(#"{"foo":{"bar":[1,2,5,4]}}"#, #"[{"op":"test","path":"/foo","value":[1,2]}]"#, nil),
    PatchCase(#"{"foo":1}"#, #"[{"op":"test","path":"","value":{"foo":1}}]"#, #"{"foo":1}"#),
    PatchCase(
      #"{"":0,"a/b":1,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#,
      #"[{"op":"test","path":"/","value":0},{"op":"test","path":"/a~1b","value":1},"#
        + #"{"op":"test","path":"/i\\j","value":5},{"op":"test","path":"/k\"l","value":6},"#
        + #"{"op":"test","path":"/ ","value":7},{"op":"test","path":"/m~0n","value":8}]"#,
      #"{"":0,"a/b":1,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#),
    PatchCase(#"{"foo":1}"#, #"[{"op":"move","from":"/foo","path":"/foo"}]"#, #"{"foo":1}"#),
    PatchCase(
      #"{"baz":[{"qux":"hello"}],"bar":1}"#, #"[{"op":"move","from":"/baz/0/qux","path":"/baz/1"}]"#,
      #"{"baz":[{},"hello"],"bar":1}"#),
    PatchCase(
      #"{"baz":[{"qux":"hello"}]}"#, #"[{"op":"copy","from":"/baz/0","path":"/boo"}]"#,
      #"{"baz":[{"qux":"hello"}],"boo":{"qux":"hello"}}"#),
    PatchCase("[1,2,[3,[4,5]]]", #"[{"op":"add","path":"/2/1/-","value":{"foo":[]}}]"#, #"[1,2,[3,[4,5,{"foo":[]}]]]"#),
    PatchCase(#"{"baz":[{"qux":"hello"}]}"#, #"[{"op":"remove","path":"/baz/1e0/qux"}]"#, nil),
    PatchCase("[1,2,3,4]", #"[{"op":"remove","path":"/1"},{"op":"remove","path":"/2"}]"#, "[1,3]"),
    PatchCase("[1,2,3,4]", #"[{"op":"remove","path":"/1e0"}]"#, nil),
    PatchCase(#"[""]"#, #"[{"op":"replace","path":"/1e0","value":false}]"#, nil),
    PatchCase(#"{"baz":[1,2,3]}"#, #"[{"op":"copy","from":"/baz/1e0","path":"/boo"}]"#, nil),
    PatchCase(#"{"baz":[1,2,3]}"#, #"[{"op":"move","from":"/baz/1e0","path":"/foo"}]"#, nil),
    PatchCase("[1]", #"[{"op":"add","path":"/-"}]"#, nil),
    PatchCase("[1]", #"[{"op":"replace","path":"/0"}]"#, nil),
    PatchCase("[null]", #"[{"op":"test","path":"/0"}]"#, nil),
    PatchCase("[1]", #"[{"op":"copy","path":"/-"}]"#, nil),
    PatchCase(#"{"foo":1}"#, #"[{"op":"move","path":""}]"#, nil),
    PatchCase(#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","op":"move","from":"/foo"}]"#, nil),
    PatchCase(#"{"foo":1}"#, #"[{"op":"spam","path":"/foo","value":1}]"#, nil),
    PatchCase(#"["foo","bar"]"#, #"[{"op":"test","path":"/00","value":"foo"}]"#, nil),
    PatchCase(#"["foo","bar"]"#, #"[{"op":"test","path":"/01","value":"bar"}]"#, nil),
    PatchCase(#"{"foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, nil),
    PatchCase(#"["foo","bar"]"#, #"[{"op":"remove","path":"/2"}]"#, nil),
    PatchCase(#"{"foo":"bar"}"#, #"[{"op":"add","path":"/FOO","value":"BAR"}]"#, #"{"foo":"bar","FOO":"BAR"}"#),
  ]

  /// The examples of RFC 7396, appendix A: a document, a merge patch, and the result.
  static let merges: [PatchCase] = [
    PatchCase(#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    PatchCase(#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    PatchCase(#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
    PatchCase(#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    PatchCase(#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    PatchCase(#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    PatchCase(#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    PatchCase(#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    PatchCase(#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    PatchCase(#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    PatchCase(#"{"a":"foo"}"#, "null", "null"),
    PatchCase(#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    PatchCase(#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    PatchCase("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    PatchCase("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ]
}
