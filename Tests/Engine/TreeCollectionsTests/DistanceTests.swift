import Testing
import TreeCollections

/// Counting elements without knowing that they are a dictionary's.
@Suite struct DistanceTests {
  /// A key that counts how often its hash is asked for, which is what a step from one place to the next needs.
  private struct Counted: Hashable {
    final class Tally {
      var hashes = 0
    }

    var number: Int
    var tally: Tally

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) {
      tally.hashes += 1
      hasher.combine(number)
    }
  }

  /// What the standard library does for `count` where the dictionary's own is not visible.
  private func count(_ elements: some Collection) -> Int {
    elements.distance(from: elements.startIndex, to: elements.endIndex)
  }

  @Test func countingAllElementsWalksThroughNone() {
    let tally = Counted.Tally()
    let dictionary = TreeDictionary(
      uniqueKeysWithValues: (0..<1_000).map { number in (Counted(number: number, tally: tally), number) })
    tally.hashes = 0
    #expect(count(dictionary) == 1_000)
    #expect(count(dictionary.keys) == 1_000)
    #expect(count(dictionary.values) == 1_000)
    // The hash of the first key names the first place, which is asked for twice each time.
    #expect(tally.hashes <= 6)
  }

  @Test(arguments: [0, 1, 2, 60])
  func theDistanceBetweenPlacesIsTheNumberOfSteps(count: Int) throws {
    let dictionary = TreeDictionary(uniqueKeysWithValues: (0..<count).map { number in (number, number) })
    let places = Array(dictionary.indices) + [dictionary.endIndex]
    for (start, place) in places.enumerated() {
      for (end, other) in places.enumerated() where start <= end {
        #expect(dictionary.distance(from: place, to: other) == end - start)
        #expect(dictionary.keys.distance(from: place, to: other) == end - start)
        #expect(dictionary.values.distance(from: place, to: other) == end - start)
      }
    }
  }
}
