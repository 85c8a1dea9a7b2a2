import Foundation
import JSONCoding
import TestSupport
import Testing

/// A log of the counter in a directory of its own, removed with the value.
struct LogOnDisk: Sendable {
  static let increment = #"{"type":"didTapIncrementButton","data":{}}"# + "\n"
  static let decrement = #"{"type":"didTapDecrementButton","data":{}}"# + "\n"

  /// The directory, kept as long as the log is needed; `nil` if the caller keeps it.
  private let directory: TemporaryDirectory?
  let path: String

  /// A log that does not exist yet.
  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    path = directory.path("my-log")
  }

  /// A log in a directory that the caller keeps.
  init(at path: String) {
    directory = nil
    self.path = path
  }

  /// Creates a log with this number of increments, closed cleanly.
  init(increments: Int) async throws {
    try self.init()
    let run = try await ToolRun(
      "record", "counter", path, "--durability", "written",
      input: String(repeating: Self.increment, count: increments))
    try #require(run.ending == .status(0), "\(run.messages)")
  }

  var firstSegment: String { path + "/0000000000000001.jsonl" }

  func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// The paths of the segments, in order.
  func segments() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { name in name.hasSuffix(".jsonl") }.sorted().map { name in path + "/" + name }
  }

  /// The contents of the log's directory: names, and the bytes of regular files.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let type = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.type] as? FileAttributeType
      contents[name] = type == .typeRegular ? try bytes(path + "/" + name) : []
    }
    return contents
  }

  /// The types of all records, control records included.
  func types() async throws -> [String] {
    try await ToolRun("list", "--format", "lines", "--all", path).lines.map { line in
      try #require(try JSONValue(parsing: Array(line.utf8))["type"]?.text, "\(line)")
    }
  }

  /// The counter's value and revision.
  func state() async throws -> (value: Int, revision: Int) {
    let run = try await ToolRun("state", path, "--json")
    try #require(run.ending == .status(0), "\(run.messages)")
    let json = try run.json()
    return (
      try #require(json["state", "value"]?.integer), try #require(json["revision"]?.integer)
    )
  }

  /// What `verify` finds: `clean`, `torn` or `damaged`.
  func verdict() async throws -> String {
    try #require(try await ToolRun("verify", path, "--json").json()["verdict"]?.text)
  }
}
