import ActionLog
import ActionLogMaintenance
import FoodTruckData
import Foundation
import TestSupport
import Testing

/// The documented sizes of both forms' logs match the measured sizes.
@Suite struct LogSizeTests {
  private static let root = PackageFolder.root

  /// Returns the numbers in the documentation's table whose first column is `name`, row by row.
  private func table(_ name: String) throws -> [[String]] {
    let page = Self.root.appending(
      path: "Sources/Samples/FoodTruck/FoodTruckData/FoodTruckData.docc/ChangesOrCompleteTables.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { line in line.hasPrefix("| \(name) |") })
    return lines[(start + 2)...].prefix { line in line.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { cell in cell.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    }
  }

  @Test func documentedGrowthMatches() throws {
    let rows = try table("Single changes")
    #expect(rows.count == 3)
    for row in rows {
      let count = try #require(Int(row[0]))
      var mirror = FoodTruckMirror()
      var (orders, events, tables, tableCount) = (0, 0, 0, 0)
      let coder = ActionCoder<FoodTruckAction>()
      for action in FoodTruckWorkload(seed: 7).prefix(count) {
        if case .data(.storeListener(.didPlaceOrder)) = action { orders += 1 }
        events += try coder.encode(action).data.count
        for action in mirror.actions(for: action) {
          tableCount += 1
          tables += try coder.encode(action).data.count
        }
      }
      let ratio = "\(Int((Double(tables) / Double(events)).rounded()))"
      #expect(row == ["\(count)", "\(orders)", "\(events)", "\(tableCount)", "\(tables)", ratio])
    }
  }

  @Test func documentedLogSizesMatch() throws {
    let rows = try table("Log")
    #expect(rows.map(\.[0]) == ["logs/foodtruck", "logs/foodtruck-mirror"])
    for row in rows {
      let report = try LogVerifier.verify(at: Self.root.appending(path: row[0]).path)
      #expect(row == [row[0], "\(report.lastRevision)", "\(report.sizeBytes)"])
    }
  }
}
