import TerminalUI
package import TimeTravel

extension StateDiff {
  /// Renders the differences in the format of `diff -u`, over the lines of ``StateTree/rendered(limits:style:)``. `patch` and
  /// `git apply` accept it.
  package func unified(oldName: String = "old", newName: String = "new", context: Int = 3) -> String {
    precondition(context >= 0, "a context is not negative")
    guard !isEmpty else { return "" }
    let renderer = JSONRenderer()
    let text = UnifiedText(old: renderer.lines(old.root), new: renderer.lines(new.root), context: context)
    return text.rendered(oldName: TerminalText.escaping(oldName), newName: TerminalText.escaping(newName))
  }
}

/// The differences of two texts in the unified format of GNU diffutils ("Detailed Description of Unified Format").
struct UnifiedText {
  private let old: [String]
  private let new: [String]
  private let gaps: [SequenceAlignment.Gap]
  private let context: Int

  init(old: [String], new: [String], context: Int) {
    self.old = old
    self.new = new
    self.context = context
    // Lines are compared by their bytes, as `patch` does; more lines are equal as Swift strings.
    var numbering = Numbering<[UInt8]>()
    self.gaps =
      SequenceAlignment(
        old: old.map { line in numbering.number(of: Array(line.utf8)) },
        new: new.map { line in numbering.number(of: Array(line.utf8)) }
      ).gaps
  }

  func rendered(oldName: String, newName: String) -> String {
    guard !gaps.isEmpty else { return "" }
    var text = "--- \(oldName)\n+++ \(newName)\n"
    for hunk in hunks { append(hunk, to: &text) }
    return text
  }

  /// The hunks: differences with contexts that touch or overlap are one hunk.
  private var hunks: [ArraySlice<SequenceAlignment.Gap>] {
    var hunks: [ArraySlice<SequenceAlignment.Gap>] = []
    var start = 0
    for index in gaps.indices.dropFirst()
    where gaps[index].old.lowerBound - gaps[index - 1].old.upperBound > 2 * context {
      hunks.append(gaps[start..<index])
      start = index
    }
    hunks.append(gaps[start...])
    return hunks
  }

  private func append(_ hunk: ArraySlice<SequenceAlignment.Gap>, to text: inout String) {
    guard let first = hunk.first, let last = hunk.last else { return }
    let before = min(context, first.old.lowerBound)
    let after = min(context, old.count - last.old.upperBound)
    let oldRange = (first.old.lowerBound - before)..<(last.old.upperBound + after)
    let newRange = (first.new.lowerBound - before)..<(last.new.upperBound + after)
    text += "@@ -\(range(oldRange)) +\(range(newRange)) @@\n"

    var next = oldRange.lowerBound
    for gap in hunk {
      append(" ", old[next..<gap.old.lowerBound], to: &text)
      append("-", old[gap.old], to: &text)
      append("+", new[gap.new], to: &text)
      next = gap.old.upperBound
    }
    append(" ", old[next..<oldRange.upperBound], to: &text)
  }

  private func append(_ mark: String, _ lines: ArraySlice<String>, to text: inout String) {
    for line in lines { text += mark + line + "\n" }
  }

  /// Lines count from 1, a length of 1 is omitted, and an empty range has the number of the line before it.
  private func range(_ lines: Range<Int>) -> String {
    switch lines.count {
    case 0: "\(lines.lowerBound),0"
    case 1: "\(lines.lowerBound + 1)"
    default: "\(lines.lowerBound + 1),\(lines.count)"
    }
  }
}
