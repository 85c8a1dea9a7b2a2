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
      FilledRegion("README.md", "benchmarks", summary),
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

  /// The targets that compare the engine with other software in the same run, for the first page of the project.
  package var summary: String {
    guard let conditions else { return Self.nothing }
    var table = TextTable(["", "measured", "compared with", "ratio [range]", "target", ""], numeric: [1, 2, 3, 4])
    for row in targets.rows where row.isHeadline {
      table.add([
        "\(row.criterion.target): \(row.criterion.title)", row.measured, row.baseline, row.ratio, row.target,
        row.verdict.description,
      ])
    }
    return """
      \(table.markdown)

      Both sides ran in turn on the same machine; a ratio is the median of those of the rounds. All targets, also those about absolute
      times, are in Benchmarks/README.md: \(targets.summary). \(conditions.line).
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

extension TargetRow {
  /// Whether the first page of the project shows the row: it has a limit, and other software beside it.
  package var isHeadline: Bool { criterion.limit != nil && criterion.hasPeer }
}
