import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct MergePatchTests {
  @Test func patchHasOnlyTheChanges() throws {
    let diff = try diff(
      #"{"a":{"b":1,"c":2},"d":[1,2],"e":0,"f":7}"#, #"{"a":{"b":9,"c":2},"d":[1,2,null],"g":{"h":[{"i":null}]},"f":7}"#
    )
    #expect(try diff.mergePatch() == json(#"{"a":{"b":9},"d":[1,2,null],"e":null,"g":{"h":[{"i":null}]}}"#))
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
    #expect(try diff(#"{"a":null,"b":1}"#, #"{"a":null,"b":2}"#).mergePatch() == json(#"{"b":2}"#))
    #expect(try diff("1", "null").mergePatch() == .null)
  }

  @Test(arguments: Seeds.batches)
  func mergePatchLeadsToTheNewDocument(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 3000) {
      var generator = JSONGenerator(seed: seed)
      let old = generator.value()
      let new = seed.isMultiple(of: 4) ? generator.value() : generator.changing(old)
      do throws(TimeTravelError) {
        let patch = try StateDiff(from: StateTree(old), to: StateTree(new)).mergePatch()
        #expect(merging(patch, into: old) == new, "seed \(seed): \(old) → \(new)")
      } catch {
        #expect(error.code == .notRepresentable, "seed \(seed)")
        let pointer = try #require(error.pointer, "seed \(seed)")
        #expect(new[pointer] == .some(.null) && old[pointer] != .some(.null), "seed \(seed)")
      }
    }
  }

  /// Applies a merge patch, as RFC 7396 defines it.
  private func merging(_ patch: JSONValue, into target: JSONValue) -> JSONValue {
    guard case .object(let members) = patch else { return patch }
    var result: JSONObject = if case .object(let object) = target { object } else { [:] }
    for (name, value) in members {
      if value == .null { result[name] = nil } else { result[name] = merging(value, into: result[name] ?? .null) }
    }
    return .object(result)
  }
}
