import Foundation
import TestSupport
import Testing

/// The page of a module lists every public type under its topics, so that none is public by accident.
@Suite("Pages of the modules") struct ModulePageTests {
  @Test(arguments: [
    "ActionLog", "ActionLogMaintenance", "ActionLogTesting", "ActionLogTool", "AsyncSequenceTestUtils", "DebugDrawer",
    "EventSourcing", "HTTPServer", "ImmutableData", "ImmutableUI", "Interchange", "JSONCoding", "TerminalUI",
    "TimeTravel", "TreeCollections",
  ])
  func everyPublicTypeIsListed(module: String) throws {
    let folder = try #require(PackageFolder.folder(ofTarget: module))
    let declaration =
      /^(?:@\w+(?:\([^)]*\))? )*public (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    let item = /^- ``(?:\w+\/)?(\w+)``$/
    var types: Set<String> = []
    var listed: Set<String> = []
    // DocC on Linux has no symbols for the types of SwiftUI, so a page cannot link to them.
    var typesForSwiftUI: Set<String> = []
    var mentioned: Set<String> = []
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    {
      guard ["swift", "md"].contains(file.pathExtension) else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      let isForSwiftUI = text.hasPrefix("#if canImport(SwiftUI)")
      if file.pathExtension == "md" {
        mentioned.formUnion(text.matches(of: /`(\w+)`/).map { match in String(match.1) })
      }
      for line in text.split(separator: "\n") {
        if file.pathExtension == "md" {
          if let match = line.wholeMatch(of: item) { listed.insert(String(match.1)) }
        } else if let match = line.prefixMatch(of: declaration) {
          if isForSwiftUI { typesForSwiftUI.insert(String(match.1)) } else { types.insert(String(match.1)) }
        }
      }
    }
    #expect(types.subtracting(listed).sorted() == [])
    #expect(typesForSwiftUI.subtracting(mentioned).sorted() == [])
    #expect(!types.isEmpty)
  }
}
