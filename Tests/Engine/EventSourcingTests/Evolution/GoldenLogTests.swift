import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import TestSupport
import Testing

/// Golden logs that each version of the shop recorded. `UPDATE_GOLDEN=1 swift test` records them again.
@Suite("Committed logs of every schema", .serialized)
struct GoldenLogTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden")

  /// The items at the end of each version's part of the story.
  private static let parts: [(schema: Int, items: [String: Int])] = [
    (1, ["tea": 5, "jam": 0]), (2, ["rye": 1, "tea": 1]), (3, ["oil": 1]),
  ]

  @Test(arguments: [1, 2, 3]) @MainActor func thePresentModelReadsOldLogs(schema: Int) async throws {
    let path = Self.folder.appending(path: "shop-\(schema)").path
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try await ShopStory.record(
        from: schema, through: schema, at: path, in: POSIXFileSystem(), environment: tickingEnvironment())
    }
    let history = try await History<ShopV3>(at: path)
    #expect(history.reader.header.schema == schema)
    #expect(try history.state().items == Self.parts[schema - 1].items)
    #expect(try history.compatibility().grade == .fine)
    let proof = try history.prove()
    #expect(proof.isProven, "\(proof.disagreements)")
    // Snapshots and digests of an older schema are not compared: the state had another shape.
    #expect(proof.snapshotsSkipped.allSatisfy { refusal in refusal.code == .otherSchema })
    #expect((schema == 3) == proof.snapshotsSkipped.isEmpty)
    #expect((schema == 3) == (proof.digestsOfOtherSchemas == 0) && (schema == 3) == (proof.digestsChecked == 1))
  }

  /// The old models still write the same actions and digests, so the golden logs are authentic.
  @Test(arguments: [1, 2, 3]) @MainActor func oldProgramsWriteTheGoldenLogs(schema: Int) async throws {
    let disk = MemoryFileSystem()
    try await ShopStory.record(from: schema, through: schema, in: disk, environment: tickingEnvironment())
    let golden = Self.folder.appending(path: "shop-\(schema)").path
    #expect(try contents(of: "shop", disk) == contents(of: golden, POSIXFileSystem()))
  }

  /// The records of a log, without times and without the synced revision in each line.
  private func contents(of path: String, _ fileSystem: any LogFileSystem) throws -> [String] {
    var records = try LogReader.open(at: path, fileSystem: fileSystem).records(from: 0)
    var lines: [String] = []
    while let record = try records.next() {
      // The golden logs are older than the digest that closing writes.
      if record.type == "@close", lines.last?.contains(" @digest ") == true, record.revision > 0 { lines.removeLast() }
      lines.append(
        "\(record.revision) \(record.schema) \(record.type) \(String(decoding: record.dataBytes, as: UTF8.self))")
    }
    return lines
  }
}
