import ActionLog
import Testing

@Suite struct ActionLineEncoderTests {
  enum Action: Codable {
    case rename(id: String, name: String)
    case clear
  }

  @Test func linesAreThoseOfTheLineEncoder() throws {
    let actions: [Action] = [
      .rename(id: "a", name: "Zoë \"Fluffy\"\n"), .clear, .rename(id: "b", name: String(repeating: "x", count: 9_000)),
    ]
    var own = ActionLineEncoder<Action>()
    var reference = LineEncoder()
    var (ownBytes, referenceBytes): ([UInt8], [UInt8]) = ([], [])
    var (ownCRC, referenceCRC): (UInt32, UInt32) = (0, 0)
    for (index, action) in actions.enumerated() {
      let time = LogTime(microseconds: 1_767_225_600_000_000 + Int64(index) * 700_001)
      ownCRC = try own.append(action, seq: index + 1, time: time, synced: index, prev: ownCRC, to: &ownBytes)
      let form = try ActionCoding.encode(action)
      referenceCRC = reference.append(
        seq: index + 1, time: time, type: form.type, synced: index, prev: referenceCRC, data: form.data,
        to: &referenceBytes)
    }
    #expect(ownBytes == referenceBytes)
    #expect(ownCRC == referenceCRC)
  }
}
