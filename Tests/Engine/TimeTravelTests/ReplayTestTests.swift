import ActionLog
import EventSourcing
import TestSupport
import Testing
import TimeTravel

/// What is written is compiled and run by `WrittenTestTests` of the tool; here is what is asked for and refused.
@Suite struct ReplayTestTests {
  private enum Hidden: Model {
    static let name = "ledger"
    static let schema = 1
    static let initialState = Ledger.State()
    static func reduce(into state: inout Ledger.State, action: Ledger.Action) {
      Ledger.reduce(into: &state, action: action)
    }
  }

  @Test func aModelThatNoFileCanNameIsRefused() throws {
    let history = try LedgerLog(actions: 3).history(Hidden.self)
    let error = #expect(throws: TimeTravelError.self) { try history.replayTest(of: 0...3) }
    #expect(error?.code == .notRepresentable && error?.message.contains("which no other file can name") == true)
  }

  @Test func aStateThatDoesNotComeBackIsRefused() throws {
    let history = try LedgerLog(actions: 3).history(Forgetful.self)
    let error = #expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...3) }
    #expect(error?.code == .notRepresentable && error?.message.contains("revision 1") == true)
  }

  @Test func onlyTheActionsThatMatterAreInIt() throws {
    let log = try StockLog([.open, .set(id: "a", count: 2), .close, .open, .set(id: "b", count: 1), .close])
    let history = try log.history()
    let condition = try Condition(parsing: "/items/b exists and /isOpen")
    let all = try history.replayTest(of: 2...5)
    #expect(all.actionCount == 3 && all.originalCount == 3 && all.isMinimal == nil)
    let few = try history.replayTest(of: 2...5, minimisedFor: condition)
    // The state at 2 is open, so that nothing need open it.
    #expect(few.actionCount == 1 && few.originalCount == 3 && few.isMinimal == true)
    #expect(few.source.contains("import TimeTravelTests\n") && few.source.contains("// 5\n"))
    #expect(!few.source.contains("// 4\n"))
    let testable = try history.replayTest(of: 0...1, isTestable: true)
    #expect(testable.source.contains("@testable import TimeTravelTests\n"))
  }

  @Test(arguments: ["type == \"x\"", "/isOpen changed"]) func aStateCannotAnswerOfItsAction(text: String) throws {
    let history = try StockLog([.open, .close]).history()
    let condition = try Condition(parsing: text)
    for ask in [
      { try condition.holds(in: Stock.initialState) ? nil : nil },
      { try history.replayTest(of: 0...2, expecting: .condition(condition)) },
      { try history.replayTest(of: 0...2, minimisedFor: condition) },
    ] as [() throws -> ReplayTest?] {
      let error = #expect(throws: TimeTravelError.self) { try ask() }
      #expect(error?.code == .unanswerable)
    }
  }

  @Test func aTestNeedsActionsWithinTheLog() throws {
    let history = try StockLog([.open, .close]).history()
    #expect(#expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...1) }?.code == .unanswerable)
    #expect(#expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...3) }?.code == .revisionOutOfRange)
  }

  @Test func conditionsHoldInStatesAsAWalkSays() throws {
    let log = try StockLog(seed: 3, actions: 40)
    let condition = try Condition(parsing: "count(/items) > 1 and not /isOpen")
    for state in log.states { #expect(try condition.holds(in: state) == (state.items.count > 1 && !state.isOpen)) }
  }
}

/// A model whose state is not what was written.
enum Forgetful: Model {
  struct State: Codable, Equatable, Sendable {
    var ledger = Ledger.State()

    init() {}
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws { try ledger.encode(to: encoder) }
  }

  static let name = "ledger"
  static let schema = 1
  static let initialState = State()
  static func reduce(into state: inout State, action: Ledger.Action) {
    Ledger.reduce(into: &state.ledger, action: action)
  }
}
