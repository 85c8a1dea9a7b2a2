import ActionLogTool
import Testing
import TimeTravel

@Suite("Formatted text")
struct TextTests {
  @Test(
    "counts, sizes and durations are short",
    arguments: [
      (HumanText.count(0), "0"), (HumanText.count(999), "999"), (HumanText.count(1_000), "1 000"),
      (HumanText.count(-1_234_567), "-1 234 567"), (HumanText.count(1, "action"), "1 action"),
      (HumanText.count(2, "action"), "2 actions"), (HumanText.count(.min), "-9 223 372 036 854 775 808"),
      (HumanText.bytes(1023), "1023 B"), (HumanText.bytes(1536), "1.5 KiB"), (HumanText.bytes(33_554_432), "32.0 MiB"),
      (HumanText.bytes(.max), "8.0 EiB"),
      (HumanText.rate(32, "actions", in: .seconds(10)), "3.2 actions/s"),
      (HumanText.rate(3, "actions", in: .seconds(40)), "4.5 actions/min"),
      (HumanText.rate(1, "actions", in: .seconds(86_400)), "1.0 actions/d"),
      (HumanText.duration(.microseconds(42)), "42 µs"), (HumanText.duration(.milliseconds(850)), "850 ms"),
      (HumanText.duration(.seconds(4.25)), "4.3 s"), (HumanText.duration(.seconds(185)), "3 min 5 s"),
      (HumanText.duration(.seconds(7_260)), "2 h 1 min"), (HumanText.duration(.seconds(183_600)), "2 d 3 h"),
    ])
  func amounts(text: String, expected: String) {
    #expect(text == expected)
  }

  @Test(
    "a typing error gets a suggestion, and another word does not",
    arguments: [
      ("dif", "diff"), ("lsit", "list"), ("REPLAY", "replay"), ("vrify", "verify"), ("sal", "salvage"),
    ])
  func suggestions(word: String, expected: String) {
    let commands = ["diff", "list", "replay", "verify", "salvage", "state", "stats"]
    #expect(Suggestion.closest(to: word, among: commands) == expected)
    #expect(Suggestion.closest(to: "frobnicate", among: commands) == nil)
    #expect(Suggestion.closest(to: "", among: commands) == nil)
    // A number is not a mistyped other number.
    #expect(Suggestion.closest(to: "3", among: ["1", "2", "4"]) == nil)
    #expect(Suggestion.closest(to: "-1.5", among: ["1.5", "2"]) == nil)
    // A word that can also be read as a number stays a word.
    #expect(Suggestion.closest(to: "inf", among: ["info", "list"]) == "info")
  }

  @Test("distance counts insertions, deletions, replacements and swapped neighbors")
  func distance() {
    #expect(NameSuggestion.distance(Array("abc"), Array("abc")) == 0)
    #expect(NameSuggestion.distance(Array("abc"), Array("acb")) == 1)
    #expect(NameSuggestion.distance(Array("kitten"), Array("sitting")) == 3)
    #expect(NameSuggestion.distance([], Array("abc")) == 3)
  }
}
