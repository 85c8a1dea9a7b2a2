import ActionLog
import EventSourcing
import Testing
import TimeTravel

@Suite struct HistoryPointResolutionTests {
  @Test(arguments: [
    (HistoryPoint.start, 0), (.end, 20), (.revision(0), 0), (.revision(20), 20), (.fromEnd(0), 20), (.fromEnd(20), 0),
    (.fromEnd(3), 17), (.time(LedgerLog.time(of: 7)), 7),
    (.time(LedgerLog.time(of: 7).advanced(by: .milliseconds(999))), 7),
    (.time(LedgerLog.created), 0), (.time(.earliest), 0), (.time(.latest), 20),
    (.day(LedgerLog.created), 0), (.day(LedgerLog.created.advanced(by: .seconds(86_400))), 20),
  ])
  func pointsResolveToRevisions(point: HistoryPoint, revision: Int) throws {
    #expect(try point.resolved(in: LedgerLog(actions: 20).history()) == revision)
  }

  @Test(arguments: [
    (HistoryPoint.revision(21), "revision 21 is not in the log, which holds the revisions 0…20"),
    (.revision(-1), "revision -1 is not in the log, which holds the revisions 0…20"),
    (.revision(.max), "revision 9223372036854775807 is not in the log, which holds the revisions 0…20"),
    (.fromEnd(21), "revision -21 is not in the log, which holds the revisions 0…20"),
    (.fromEnd(-1), "revision -1 is not in the log, which holds the revisions 0…20"),
  ])
  func pointOutsideTheHistoryNamesItsRange(point: HistoryPoint, message: String) throws {
    let history = try LedgerLog(actions: 20).history()
    let error = #expect(throws: TimeTravelError.self) { try point.resolved(in: history) }
    #expect(error?.code == .revisionOutOfRange)
    #expect(error?.availableRevisions == 0...20)
    #expect(error?.description == message)
  }
}
