package import ActionLog

// The words of reports, once for their descriptions and for the tool, which prints them in its own tables.

/// The form of a report's text. The default is plain text; the tool groups digits, escapes control characters and colors.
package struct ReportForm {
  private let number: (Int) -> String
  /// Formats a line that may have text from a log.
  fileprivate let text: (String) -> String
  fileprivate let table: (_ rows: [[String]], _ indent: Int) -> [String]

  package init(
    number: @escaping (Int) -> String = { number in "\(number)" },
    text: @escaping (String) -> String = { text in text },
    table: @escaping ([[String]], Int) -> [String] = ReportForm.aligned
  ) {
    (self.number, self.text, self.table) = (number, text, table)
  }

  package static func aligned(_ rows: [[String]], indent: Int) -> [String] {
    rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        line += cell
        guard row[(column + 1)...].contains(where: { cell in !cell.isEmpty }) else { break }
        let width = rows.map { row in row[column].count }.max() ?? 0
        line += String(repeating: " ", count: width - cell.count + 2)
      }
      return line
    }
  }

  fileprivate func count(_ value: Int, _ noun: String) -> String { "\(number(value)) \(noun)\(value == 1 ? "" : "s")" }

  /// The row on actions that a redaction excludes.
  package func skipped(_ count: Int) -> String {
    "\(self.count(count, "action")), which a redaction excludes from replays"
  }

  /// A note on digests of other schemas; empty if there are none.
  package func otherSchemas(_ count: Int) -> String { count == 0 ? "" : ", \(number(count)) of other schemas ignored" }

  fileprivate func agreement(_ count: Int, _ first: ReplayDisagreement?) -> String {
    if count == 0 { return "none to compare" }
    guard let first else { return "\(number(count)) of \(number(count)) match" }
    return "\(number(count)) compared, different from revision \(first.revision) on"
  }
}

extension ReplayProof: CustomStringConvertible {
  /// The verdict, what was compared, and the differences, in several lines.
  public var description: String {
    let lines = table(in: ReportForm()) + problems.map { problem in "  ! \(problem)" }
    return (["revision \(revision): \(verdict)"] + lines).joined(separator: "\n")
  }

  package var verdict: String { isProven ? "proved" : "not proved" }

  package func table(in form: ReportForm) -> [String] {
    func agreement(_ count: Int, _ kind: ReplayDisagreement.Kind) -> String {
      form.agreement(count, disagreements.first { found in found.kind == kind })
    }
    let states = form.count(statesCompared, "state")
    return form.table(
      [["folded", "twice, the second time \(witness); compared at \(states)"]]
        + (skippedActions > 0 ? [["skipped", form.skipped(skippedActions)]] : [])
        + [
          ["digests", agreement(digestsChecked, .digest) + form.otherSchemas(digestsOfOtherSchemas)],
          ["snapshots", agreement(snapshotsChecked, .snapshot)], ["sha-256", digest.hexadecimal],
        ], 2)
  }

  package var problems: [MessageText] {
    disagreements.map { found in MessageText(found.description) } + (damage.map { damage in [damage.text] } ?? [])
  }
}

extension CompatibilityReport: CustomStringConvertible {
  /// The grade, that of each type with the reason, the worst first, and the missing upcasters, in several lines.
  public var description: String {
    (["'\(model)', schema \(schema): \(grade.word)"] + lines(in: ReportForm())).joined(separator: "\n")
  }

  /// The table of the types, the findings about the entire log, which do not change the grade, and the missing upcasters.
  package func lines(in form: ReportForm) -> [String] {
    let worstFirst = Grade.allCases.reversed().flatMap { grade in entries.filter { entry in entry.grade == grade } }
    var lines = form.table(
      worstFirst.map { entry in
        let place = entry.grade == .fine ? "" : "first at seq \(entry.revision)" + (entry.reason.isEmpty ? "" : ": ")
        return [
          entry.grade.word, entry.type, "schema \(entry.schema)", form.count(entry.count, "action"),
          place + entry.reason,
        ]
      }, 2)
    if !unusedUpcasters.isEmpty {
      lines += ["", "These upcasters apply to no action of the log. Check the spelling of their types:", ""]
      lines += form.table(unusedUpcasters.map { unused in [unused.type, "schema \(unused.from) to \(unused.to)"] }, 4)
    }
    if let example = recursiveTypes.first {
      lines += [
        "",
        form.count(recursiveTypes.count, "type")
          + " with a case twice, such as '\(form.text(example))': a payload that "
          + "contains itself.", "Conform its enum to ActionPayload to exclude it from the type.",
      ]
    }
    guard !skeleton.isEmpty else { return lines }
    let raise = raisedSchema.map { schema in ", and raise its schema to \(schema)" } ?? ""
    lines += ["", "Add to the evolution of '\(model)'\(raise):", ""]
    return lines + skeleton.map { line in "    " + form.text(line) }
  }
}
