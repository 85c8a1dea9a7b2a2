import Testing
import TreeCollections

/// What the documentation calls a precondition stops the program, and nothing else does.
@Suite struct TrapTests {
  @Test func equalKeysTrapWhereTheyMustNotBe() async {
    await #expect(processExitsWith: .failure) { _ = TreeDictionary(uniqueKeysWithValues: [(1, 1), (2, 2), (1, 3)]) }
  }

  @Test func anIndexOfAKeyThatIsGoneTraps() async {
    await #expect(processExitsWith: .failure) {
      var dictionary: TreeDictionary = [1: 1, 2: 2]
      let index = dictionary.startIndex
      dictionary.remove(at: index)
      _ = dictionary[index]
    }
  }

  @Test func theEndHasNoElement() async {
    await #expect(processExitsWith: .failure) {
      let dictionary: TreeDictionary = [1: 1]
      _ = dictionary[dictionary.endIndex]
    }
    await #expect(processExitsWith: .failure) {
      let dictionary: TreeDictionary = [1: 1]
      _ = dictionary.index(after: dictionary.endIndex)
    }
  }
}
