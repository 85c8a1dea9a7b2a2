import ActionLog
import ActionLogTool
import JSONCoding
import TestSupport
import Testing

/// The what-if of `tui`, compared with the command.
@Suite struct TUIWhatIfTests {
  /// The screen is wide enough for each heading in one line.
  private func screen(_ bench: Bench, _ lines: String...) async throws -> String {
    try await bench.lastScreen(lines, columns: 240)
  }

  @Test("x shows what would be different without an action, like what-if")
  func whatIf() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let off = try await screen(bench, "g12", "x")
    #expect(off.contains("✗12 ") || off.contains("✗ 12 "), "\(off)")
    #expect(off.contains("Without action 12, at revision 12"), "\(off)")
    let told = await bench.run("what-if", "my-log", "--skip", "12", "--to", "15", "--json").output
    let change = try JSONValue(parsing: Array(told.utf8))["changes", "0"]
    #expect(change?["path"]?.text == "/animals/data/Dog/diet" && change?["value"]?.text == "Carnivore")
    let later = try await screen(bench, "g12", "x", "g15")
    #expect(later.contains("Without action 12, at revision 15") && later.contains("+ \"Carnivore\""), "\(later)")
    #expect(try await !screen(bench, "g12", "x", "g11").contains("Without action"))
    #expect(try await !screen(bench, "g12", "xx").contains("Without action"))
    #expect(try await screen(bench, "g12", "xnx").contains("Without actions 12, 13, at revision 13"))
    #expect(try await !screen(bench, "g12", "xnxX").contains("✗"))
  }

  @Test("r and i show what would be different with other actions, like what-if")
  func otherActions() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    // The field has the recorded action, which ^U removes.
    let replaced = try await screen(bench, "g12", "r\u{15}ui.animalList.onAppear")
    #expect(replaced.contains("±12 ") || replaced.contains("± 12 "), "\(replaced)")
    #expect(replaced.contains("Another action in place of action 12, at revision 12"), "\(replaced)")
    #expect(replaced.contains("+ \"Carnivore\""), "\(replaced)")
    let both = try await screen(bench, "g12", "x", "g11", "i\u{15}ui.animalList.onAppear", "g13")
    #expect(both.contains("Without action 12, another action after revision 11, at revision 13"), "\(both)")
    // What the model does not have is refused while the prompt is open.
    let wrong = try await screen(bench, "g12", "r\u{15}nothing")
    #expect(wrong.contains("does not decode as an action of 'animals'"), "\(wrong)")
    #expect(!wrong.contains("Another action"), "\(wrong)")
    #expect(try await screen(bench, "g12", "i\u{15}a {").contains("the data is not JSON"))
    // An empty text removes the edit, x replaces it, X removes all.
    #expect(try await !screen(bench, "g12", "r\u{15}ui.animalList.onAppear", "r\u{15}").contains("Another action"))
    let off = try await screen(bench, "g12", "r\u{15}ui.animalList.onAppear", "x")
    #expect(off.contains("Without action 12, at revision 12") && !off.contains("±"), "\(off)")
    #expect(try await !screen(bench, "g12", "i\u{15}ui.animalList.onAppear", "X").contains("Another action"))
    #expect(try await screen(bench, "0", "r").contains("there is no action to replace"))
  }
}
