import ActionLog
import Interchange
import JSONCoding
import Testing

@Suite("Tables")
struct TableTests {
  private static let drafts = [
    LogDraft("ui.tap", #"{"n":1}"#, meta: #"{"actor":"ann"}"#), LogDraft("ui.tap"),
    LogDraft("=cmd|' /C calc'!A0", #"{"text":"a, \"b\"\n"}"#, meta: #"{"actor":"ann","x":[1]}"#),
  ]

  @Test("cells are quoted and never formulas")
  func table() throws {
    var (export, bytes) = (CSVExport(), [UInt8]())
    export.begin(into: &bytes)
    for record in try MadeLog(Self.drafts).actions { try export.append(record, into: &bytes) }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        seq,time,type,actor,data,meta
        1,2026-11-21T09:00:05.123456Z,ui.tap,ann,"{""n"":1}","{""actor"":""ann""}"
        2,2026-11-21T09:00:05.123456Z,ui.tap,,{},
        3,2026-11-21T09:00:05.123456Z,'=cmd|' /C calc'!A0,ann,"{""text"":""a, \\""b\\""\\n""}","{""actor"":""ann"",""x"":[1]}"

        """)
  }
}
