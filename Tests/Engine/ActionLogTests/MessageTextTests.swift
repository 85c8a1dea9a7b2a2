import ActionLog
import Testing

@Suite struct MessageTextTests {
  private let advice: MessageText = .sentences(
    "Restore it from a copy.", "Run \(.verify) for the full report.",
    "Then \(.operation("prune", .path("my log"), .option("restore", "DIR"), .option("yes"))) puts 2 of 3 back.")

  @Test func operationsAreNamedWithoutAProgram() {
    #expect(
      advice.description
        == "Restore it from a copy. Run 'verify' for the full report. Then 'prune my log --restore DIR --yes' puts 2 of 3 back."
    )
    let limit: MessageText = "\(.option("limit", "COUNT")) includes more"
    #expect("\(limit)" == "--limit COUNT includes more")
  }

  @Test func eachInterfaceWordsTheOperations() {
    let text = advice.text { operation in
      "[\(operation.name ?? "")" + operation.words.map { word in "|\(word.option ?? "")=\(word.value ?? "")" }.joined()
        + "]"
    }
    #expect(
      text
        == "Restore it from a copy. Run [verify] for the full report. Then [prune|=my log|restore=DIR|yes=] puts 2 of 3 back."
    )
    #expect(advice.operations.map(\.name) == ["verify", "prune"])
  }

  @Test func sentenceWithoutWordsIsLeftOut() {
    let text = advice.text { operation in operation == .verify ? nil : "it" }
    #expect(text == "Restore it from a copy. Then it puts 2 of 3 back.")
    let alone: MessageText = "Run \(.verify)."
    #expect(alone.text { _ in nil } == "")
  }

  @Test func textsAreJoined() {
    let start: MessageText = "Run \(.verify)"
    let name = "my-log"
    #expect((start + ", and look at \(name).").description == "Run 'verify', and look at my-log.")
    #expect(MessageText.sentences(nil, "A.", nil, "B.") == MessageText.sentences("A.", "B."))
    #expect(MessageText.sentences(nil).isEmpty && MessageText("").isEmpty && !start.isEmpty)
    let nested: MessageText = "First: \(advice)"
    #expect(nested.operations == advice.operations && nested.text { _ in nil } == "First: Restore it from a copy.")
    let nothing = ""
    #expect("a\(nothing)" as MessageText == "a" && start + "" == start && "" + start == start)
    // Equal texts are equal, however they were made.
    #expect(("a" + "b" as MessageText) == "ab" && "\("a")b" as MessageText == "ab")
  }
}
