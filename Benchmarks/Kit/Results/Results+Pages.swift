import Foundation

/// A region of a page that a program fills from results.
package struct FilledRegion: Equatable, Sendable {
  /// The page, from the root of the repository.
  package var path: String
  /// The region's name.
  package var region: MarkedRegion
  /// The contents of the page.
  package var content: String

  init(_ path: String, _ region: String, _ content: String) {
    self.path = path
    self.region = MarkedRegion(region)
    self.content = content + "\n"
  }
}

extension Results {
  /// The path of the latest canonical results, relative to the root of the repository.
  package static let committedPath = "Benchmarks/results/canonical.json"

  /// Everything that pages show of the results.
  package var regions: [FilledRegion] {
    let page = "Benchmarks/README.md"
    return [
      FilledRegion("README.md", "numbers", firstNumbers),
      FilledRegion(page, "targets", conditions == nil ? Self.nothing : targetsPage),
      FilledRegion(page, "instructions", instructionsPage),
      FilledRegion(page, "guide", guide?.page ?? Self.nothing),
      FilledRegion(page, "growth", growthPage),
    ]
  }

  /// The pages, with these results in their regions.
  ///
  /// - Parameter root: The root of the package.
  /// - Returns: Each page's path and its new text.
  /// - Throws: ``HarnessError`` when a page is not there or lacks a region.
  package func pages(in root: String) throws -> [(path: String, text: String)] {
    var pages: [(path: String, text: String)] = []
    for filled in regions {
      let path = "\(root)/\(filled.path)"
      guard FileManager.default.fileExists(atPath: path) else {
        throw HarnessError("there is no page '\(path)'; 'report' is for the root of the package")
      }
      let place = pages.firstIndex { page in page.path == path }
      let page = try place.map { place in pages[place].text } ?? PageFile.text(path, "a page that shows results")
      guard let text = filled.region.replacing(with: filled.content, in: page) else {
        throw HarnessError("'\(path)' has no region '\(filled.region.name)'")
      }
      if let place { pages[place].text = text } else { pages.append((path, text)) }
    }
    return pages
  }

  /// The placeholder for a missing measurement.
  private static let nothing = "Not measured yet."

  /// The table of targets as Markdown, with its conditions and measurements.
  package var targetsPage: String {
    """
    \(conditions?.line ?? "")

    \(targets.table.markdown)

    \(targets.summary)

    <details><summary>Every measurement</summary>

    \(measurements.table.markdown)

    </details>
    """
  }

  /// The rows that the first page of the project shows, by target and title, each with what it says to a reader.
  private static let first: [(target: String, title: String, meaning: String)] = [
    ("A3", "sync each 1 000, over SQLite WAL FULL", "an action is on the device, in batches of 1 000"),
    ("A4", "sync each: median latency over that of bare write + fdatasync", "and one alone, with its own `fdatasync`"),
    ("R1", "decoding ahead, the default, over Node with a mutable map", "an action is read, checked and folded"),
    ("P1", "and its bytes", "memory of one more past state of a large table"),
  ]

  /// The rows of the first page of the project: those that compare the engine with other software in the same run.
  package var firstRows: [TargetRow] {
    targets.rows.filter { row in
      Self.first.contains { shown in shown.target == row.criterion.target && shown.title == row.criterion.title }
    }
  }

  /// The figures for the first page of the project.
  private var firstNumbers: String {
    guard let conditions else { return Self.nothing }
    var table = TextTable(["", "", "beside", ""], numeric: [1, 2, 3])
    for row in firstRows {
      let shown = Self.first.first { shown in shown.title == row.criterion.title }
      let other = row.criterion.baseline?.split(separator: ", ").last.map(String.init) ?? ""
      table.add([shown?.meaning ?? "", row.measured, "\(row.baseline) (\(other))", row.ratio])
    }
    return """
      \(table.markdown)

      Medians with the range of the rounds, both sides in turn on the same machine; all targets are in Benchmarks/README.md:
      \(targets.summary). \(conditions.line).
      """
  }

  private var instructionsPage: String {
    guard !instructions.isEmpty else { return Self.nothing }
    var table = TextTable(["work", "instructions", "for each"], numeric: [1])
    for count in instructions { table.add([count.name, Figures.grouped(count.perUnit), count.unit]) }
    return table.markdown
  }

  private var growthPage: String {
    guard let growth else { return Self.nothing }
    let plots = growth.plots + (guide?.plots ?? [])
    return
      ([growth.conditions.line, growth.table.markdown]
      + plots.map { name, plot in "![\(plot.title)](results/\(name).svg)" }).joined(separator: "\n\n")
  }
}
