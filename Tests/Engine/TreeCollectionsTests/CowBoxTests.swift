import JSONCoding
import Testing
import TreeCollections

@Suite struct CowBoxTests {
  struct Details: Hashable, Codable, Sendable {
    var name: String
    var tags: [String] = []
  }

  struct Order: Hashable, Codable, Sendable {
    @CowBox var details: Details
    var status = 1
  }

  struct Plain: Codable {
    var details: Details
    var status = 1
  }

  /// Counts how often values of it are compared.
  struct Counted: Equatable {
    final class Counter { var count = 0 }
    let counter: Counter

    static func == (left: Self, right: Self) -> Bool {
      left.counter.count += 1
      return left.counter === right.counter
    }
  }

  @Test func copiesShareUntilOneChanges() {
    let before = CowBox(Details(name: "a"))
    var after = before
    #expect(after.isTriviallyIdentical(to: before))
    after.name = "b"
    #expect(!after.isTriviallyIdentical(to: before))
    #expect(before.name == "a" && after.name == "b")
    after.wrappedValue = before.wrappedValue
    #expect(after == before && !after.isTriviallyIdentical(to: before))
  }

  @Test func uniquelyHeldStorageIsChangedInPlace() {
    var box = CowBox(Details(name: "a", tags: Array(repeating: "", count: 100)))
    box.tags.reserveCapacity(1_000)
    let address = box.tags.withUnsafeBufferPointer { $0.baseAddress }
    box.tags.append("b")
    box.wrappedValue.tags.append("c")
    #expect(box.tags.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(box.tags.count == 102)
  }

  @Test func sharedBoxesAreEqualWithoutComparison() {
    let box = CowBox(Counted(counter: .init()))
    #expect(box == box)
    #expect(box.counter.count == 0)
    #expect(box == CowBox(box.wrappedValue))
    #expect(box.counter.count == 1)
  }

  @Test func aBoxChangesNoBytes() throws {
    let details = Details(name: "a", tags: ["x"])
    let boxed = try StrictJSONEncoder().encode(Order(details: details))
    #expect(boxed == (try StrictJSONEncoder().encode(Plain(details: details))))
    #expect(try StrictJSONDecoder().decode(Order.self, from: boxed) == Order(details: details))
    let sets = CowBox(Set(["b", "a", "c"]))
    #expect(try StrictJSONEncoder().encode(sets) == Array(#"["a","b","c"]"#.utf8))
  }

  @Test func aBoxLooksLikeItsValue() {
    let details = Details(name: "a")
    #expect(CowBox(details).hashValue == details.hashValue)
    #expect("\(CowBox(details))" == "\(details)")
    #expect("\(Order(details: details).$details)" == "\(details)")
    var (boxed, plain) = ("", "")
    dump(CowBox(1), to: &boxed)
    dump(1, to: &plain)
    #expect(boxed == plain)
  }
}
