import ActionLog
import Testing
import TrialKit

@Suite("Recovery rules compared", .timeLimit(.minutes(60)))
struct RuleTableTests {
  @Test func formatRuleHasNoFalseAlarmsAndFewestLosses() {
    var table = RuleTable()
    for seed in 1...6 { table.add(seed: UInt64(seed)) }
    let crash = table.cells[.crash]
    #expect(crash?.states ?? 0 > 50)
    #expect(crash?.wrong[.format] == nil)
    #expect(table.cells[.flippedBit]?.share(.cut) ?? 0 > 0.5, "a table in which no rule loses anything proves nothing")
    for kind in [RuleTable.Case.flippedBit, .zeroedSector, .cutOff] {
      let cell = table.cells[kind]
      for rule in [RecoveryRule.cut, .synced, .sector, .syncedAndSector] {
        #expect(cell?.share(.format) ?? 1 <= cell?.share(rule) ?? 0, "\(kind), rule \(rule)")
      }
    }
  }

  @Test func theTableHasARowForEachRule() {
    #expect(RuleTable().markdown.split(separator: "\n").count == RecoveryRule.allCases.count + 2)
  }
}
