import ImmutableData
import ImmutableUI
import TestSupport
import Testing

@MainActor @Suite struct HelperTests {
  @Test func selectManySelectsFromOneState() {
    let store = SelectorDouble(state: Board(a: 1, b: 2))
    let (a, text, sum) = store.selectMany(
      { board in board.a }, { board in "\(board.b)" }, { board in Double(board.a + board.b) })
    #expect((a, text, sum) == (1, "2", 3))
    #expect(store.selections == 1)
  }

  @Test func isEmptyIsTrueForTheEmptyPackOnly() {
    #expect(isEmpty())
    #expect(!isEmpty(0))
    #expect(!isEmpty(Int?.none))
    #expect(!isEmpty((), "", 1.5))
  }

  @Test func didChangeIsFalseWhenNothingDid() {
    let number: @Sendable (Int, Int) -> Bool = { old, new in old != new }
    let text: @Sendable (String, String) -> Bool = { old, new in old != new }
    #expect(!didChange(number, text, lhs: 1, "a", rhs: 1, "a"))
    #expect(didChange(number, text, lhs: 1, "a", rhs: 2, "a"))
    #expect(didChange(number, text, lhs: 1, "a", rhs: 1, "b"))
  }

  @Test(arguments: [([0, 0, 0], 3), ([0, 1, 1], 2), ([1, 0, 0], 1), ([0, 0, 1], 3)])
  func didChangeStopsAtTheFirstChange(new: [Int], comparisons: Int) {
    let compared = Journal<Step>()
    let number: @Sendable (Int, Int) -> Bool = { old, new in
      compared.add(Step(old, new))
      return old != new
    }
    #expect(didChange(number, number, number, lhs: 0, 0, 0, rhs: new[0], new[1], new[2]) == new.contains(1))
    #expect(compared.entries == new.prefix(comparisons).map { new in Step(0, new) })
  }

  @Test func addressesHaveSixteenDigits() throws {
    let objects = (0..<20).map { _ in Journal<Int>() }
    let addresses = objects.map { object in address(of: object) }
    #expect(addresses.allSatisfy { address in address.hasPrefix("0x") && address.utf8.count == 18 })
    #expect(Set(addresses).count == 20)
    #expect(addresses == objects.map { object in address(of: object) })
    let digits = addresses[0].dropFirst(2)
    #expect(UInt(digits, radix: 16) == UInt(bitPattern: Unmanaged.passUnretained(objects[0]).toOpaque()))
    #expect(digits == digits.lowercased())
  }

  /// Values that share their storage are the usual case, because most actions do not change most slices.
  @Test func equatableDefaultsDoNotLookAtSharedElements() {
    struct Element: Equatable, Sendable {
      static let compared = Journal<Int>()
      var number: Int

      static func == (lhs: Element, rhs: Element) -> Bool {
        compared.add(lhs.number)
        return lhs.number == rhs.number
      }
    }
    let store = SelectorDouble(state: (1...100).map { number in Element(number: number) })
    let listener = AsyncListener<[Element], Never, [Element], [Element]>(
      .init(
        dependencySelector: DependencySelector { elements in elements },
        outputSelector: OutputSelector { elements in elements }))
    listener.update(with: store)
    listener.update(with: store)
    #expect(Element.compared.entries.isEmpty)
    store.state[0].number = 0
    listener.update(with: store)
    #expect(Element.compared.entries == [1, 1])
    #expect(listener.output[0].number == 0)
  }
}
