import ActionLog
import Foundation
import JSONCoding
import QuakesData
import Testing

/// The golden lines of all actions and of the state. Changing one changes the format.
@Suite struct QuakesCodingTests {
  @Test(arguments: ActionCase.all)
  func encodedActionsMatchGoldenLines(candidate: ActionCase) throws {
    let form = try ActionCoding.encode(candidate.action)
    #expect(form.type == candidate.type)
    #expect(String(decoding: form.data, as: UTF8.self) == candidate.data)
  }

  @Test(arguments: ActionCase.all)
  func goldenLinesDecodeToActions(candidate: ActionCase) throws {
    let action = try ActionCoding.decode(QuakesAction.self, type: candidate.type, data: Array(candidate.data.utf8))
    #expect(action == candidate.action)
  }

  @Test(arguments: zip(QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases, ["Hour", "Day", "Week", "Month"]))
  func encodedRangesMatchGoldenLines(range: QuakesAction.UI.QuakeList.RefreshQuakesRange, name: String) throws {
    #expect(try text(range) == #"{"all\#(name)":{}}"#)
  }

  @Test(
    arguments: [
      (.empty, #"{"empty":{}}"#), (.waiting, #"{"waiting":{}}"#), (.success, #"{"success":{}}"#),
      (.failure(error: "offline"), #"{"failure":{"error":"offline"}}"#),
    ] as [(Status, String)])
  func encodedStatusesMatchGoldenLines(status: Status, line: String) throws {
    #expect(try text(status) == line)
    #expect(try StrictJSONDecoder().decode(Status.self, from: Array(line.utf8)) == status)
  }

  @Test func encodedStatesMatchGoldenLines() throws {
    #expect(try text(QuakesState()) == #"{"quakes":{"data":{}}}"#)
    let state = QuakesState.with([.small], .waiting)
    let line = #"{"quakes":{"data":{"small":\#(ActionCase.smallQuake)},"status":{"waiting":{}}}}"#
    #expect(try text(state) == line)
    #expect(try StrictJSONDecoder().decode(QuakesState.self, from: Array(line.utf8)) == state)
  }

  /// A reason without a place has no such member.
  @Test func encodedReasonsMatchGoldenLines() throws {
    let reason = FailureReason(code: "c", message: "m")
    #expect(try text(reason) == #"{"code":"c","message":"m"}"#)
    #expect(
      try StrictJSONDecoder().decode(FailureReason.self, from: Array(#"{"code":"c","message":"m"}"#.utf8)) == reason)
  }

  @Test(arguments: [
    ("ui.quakeList.onDisappear", "{}"),
    ("ui.quakeList.onTapRefreshQuakesButton", #"{"range":{"allYear":{}}}"#),
    ("ui.quakeList.onTapDeleteSelectedQuakeButton", "{}"),
    ("data.persistentSession.localStore.didFetchQuakes", #"{"result":{}}"#),
  ])
  func otherShapesAreNotActions(type: String, data: String) {
    #expect(throws: (any Error).self) {
      try ActionCoding.decode(QuakesAction.self, type: type, data: Array(data.utf8))
    }
  }

  private func text(_ value: some Encodable) throws -> String { try storedText(value) }
}

/// Returns the stored form of a value.
func storedText(_ value: some Encodable) throws -> String {
  String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self)
}
