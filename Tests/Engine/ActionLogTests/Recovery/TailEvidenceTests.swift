import ActionLog
import Testing

@Suite("Evidence at the end of a segment", .timeLimit(.minutes(60)))
struct TailEvidenceTests {
  /// A batch that a crash has cut, with a whole line after a lost page.
  private var torn: TailEvidence {
    var evidence = TailEvidence(segment: 1, sizeBytes: 9_000, goodBytes: 5_000, lastSeq: 46)
    evidence.highestSyncedBeyond = 46
    evidence.nextCompleteLine = 8_500
    evidence.hasZeroedSector = true
    evidence.head = LogHead(seq: 46, segment: 1, bytes: 5_000, crc: 0)
    return evidence
  }

  private func verdict(_ change: (inout TailEvidence) -> Void) -> TailVerdict {
    var evidence = torn
    change(&evidence)
    return evidence.verdict()
  }

  @Test func aCrashExplainsIt() {
    #expect(torn.verdict() == .torn)
    #expect(verdict { evidence in evidence.head = nil } == .torn)
    #expect(verdict { evidence in evidence.head?.bytes = 4_999 } == .torn)
  }

  @Test func eachClauseAloneMakesItDamage() {
    #expect(verdict { $0.hasHeader = false } == .damaged(.noHeader))
    #expect(verdict { $0.breaksChain = true } == .damaged(.brokenChain))
    #expect(verdict { $0.highestSyncedBeyond = 47 } == .damaged(.laterLineSynced))
    #expect(verdict { $0.head?.segment = 2 } == .damaged(.headNamesLaterSegment))
    #expect(verdict { $0.head?.bytes = 5_001 } == .damaged(.headNamesMoreBytes))
    #expect(verdict { $0.hasNewerSegment = true } == .damaged(.newerSegment))
    #expect(verdict { $0.hasZeroedSector = false } == .damaged(.noLostSector))
  }

  @Test func badBytesThatReachTheEndNeedNoLostSector() {
    #expect(
      verdict {
        $0.hasZeroedSector = false
        $0.nextCompleteLine = nil
      } == .torn)
  }

  @Test func aHeadOfAnEarlierSegmentSaysNothingOfThisOne() {
    #expect(
      verdict {
        $0.segment = 100
        $0.head?.bytes = 50_000
      } == .torn)
  }

  @Test func aWholeFileIsCleanUnlessHeadKnowsOfMore() {
    #expect(verdict { $0.sizeBytes = 5_000 } == .clean)
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.hasNewerSegment = true
      } == .clean)
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.head?.bytes = 5_001
      } == .damaged(.headNamesMoreBytes))
    #expect(
      verdict {
        $0.sizeBytes = 5_000
        $0.head?.segment = 2
      } == .damaged(.headNamesLaterSegment))
  }
}
