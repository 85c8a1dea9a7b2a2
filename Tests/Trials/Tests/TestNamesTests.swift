import Testing

/// Tests of the parser that the test of the page depends on.
@Suite("Names of tests in sources")
struct TestNamesTests {
  private static let source = #"""
    /// func inAComment() {}
    @Suite("A \(name) of { braces", .serialized) struct OneTests {
      @Test func first() {}
      @Test("a title with func title()", arguments: [1, 2].map { number in (number, ")") })
      func second(number: Int, text: String) async throws { if true { helper() } }
      func helper() {}
      @Test(.enabled(if: true)) @MainActor static func third() {}
      let text = """
        @Test func inAText() {
        """
      @available(*, deprecated) func fourth() {}
      enum Inner { @Test func first() {} }
      @Test func fifth() {}
    }
    extension Outer.TwoTests {
      class func made() {}
      @Test func first() {}
    }
    @Test func alone() {}
    """#

  @Test(arguments: [
    ("first", 3), ("OneTests/first", 1), ("Inner/first", 1), ("TwoTests/first", 1), ("second", 1), ("third", 1),
    ("fifth", 1), ("OneTests/fifth", 1), ("alone", 1), ("/alone", 1), ("OneTests", 1),
  ])
  func testsAreFoundWithTheirSuites(name: String, count: Int) {
    #expect(TestNames(of: Self.source).count(of: name) == count)
  }

  @Test(arguments: [
    "helper", "fourth", "made", "inAComment", "inAText", "title", "TwoTests", "Inner", "OneTests/alone", "OneTests/",
    "a/b/c", "",
  ])
  func otherFunctionsAreNotTests(name: String) {
    #expect(TestNames(of: Self.source).count(of: name) == 0)
  }
}
