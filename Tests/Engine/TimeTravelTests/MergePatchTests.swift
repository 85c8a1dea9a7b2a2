import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct MergePatchTests {
  /// RFC 7396, appendix A: original, patch, result.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
    (#"{"a":"foo"}"#, #"null"#, #"null"#),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
    (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func examplesOfTheRFCApply(original: String, patch: String, result: String) throws {
    #expect(try MergePatch(json(patch)).apply(to: json(original)) == json(result))
  }

  @Test func patchHasOnlyTheChanges() throws {
    let diff = try diff(
      #"{"a":{"b":1,"c":2},"d":[1,2],"e":0,"f":7}"#, #"{"a":{"b":9,"c":2},"d":[1,2,null],"g":{"h":[{"i":null}]},"f":7}"#
    )
    #expect(try diff.mergePatch().document == json(#"{"a":{"b":9},"d":[1,2,null],"e":null,"g":{"h":[{"i":null}]}}"#))
  }

  @Test(arguments: [
    (#"{"a":{"b":1}}"#, #"{"a":{"b":null}}"#, "/a/b"),
    (#"{}"#, #"{"a":{"b":{"c~d":null}}}"#, "/a/b/c~0d"),
    (#"1"#, #"{"a":null}"#, "/a"),
  ])
  func unwritableNullIsReported(old: String, new: String, pointer: String) throws {
    let diff = try diff(old, new)
    let error = #expect(throws: TimeTravelError.self) { try diff.mergePatch() }
    #expect(error?.code == .notRepresentable)
    #expect(error?.pointer?.description == pointer)
    #expect(
      error?.description
        == "a merge patch cannot set \(pointer) to null, because null removes; use a JSON Patch")
  }

  @Test func unchangedNullIsAllowed() throws {
    #expect(try diff(#"{"a":null,"b":1}"#, #"{"a":null,"b":2}"#).mergePatch().document == json(#"{"b":2}"#))
    #expect(try diff("1", "null").mergePatch().document == .null)
  }

  @Test(arguments: Seeds.batches)
  func mergePatchLeadsToTheNewDocument(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 3000) {
      var generator = JSONGenerator(seed: seed)
      let old = generator.value()
      let new = seed.isMultiple(of: 4) ? generator.value() : generator.changing(old)
      do throws(TimeTravelError) {
        #expect(try MergePatch(from: old, to: new).apply(to: old) == new, "seed \(seed): \(old) → \(new)")
      } catch {
        #expect(error.code == .notRepresentable, "seed \(seed)")
        let pointer = try #require(error.pointer, "seed \(seed)")
        #expect(new[pointer] == .some(.null) && old[pointer] != .some(.null), "seed \(seed)")
      }
    }
  }
}
