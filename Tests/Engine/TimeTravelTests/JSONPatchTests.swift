import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct JSONPatchTests {
  @Test(arguments: Seeds.batches)
  func patchLeadsExactlyToTheNewDocument(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 4000) {
      var generator = JSONGenerator(seed: seed)
      let old = generator.value()
      let new = seed.isMultiple(of: 4) ? generator.value() : generator.changing(generator.changing(old))
      let patch = StateDiff(from: StateTree(old), to: StateTree(new)).jsonPatch(includingTests: seed.isMultiple(of: 2))
      #expect(try patch.apply(to: old) == new, "seed \(seed): \(old) → \(new): \(patch.document)")
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
