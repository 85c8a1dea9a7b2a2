import Foundation
import TestSupport
import Testing

/// The page of a module lists every public type under its topics, so that none is public by accident.
@Suite("Pages of the modules") struct ModulePageTests {
  @Test(arguments: [
    "ActionLog", "ActionLogTesting", "ActionLogTool", "EventSourcing", "ImmutableData", "Interchange", "JSONCoding",
    "TerminalUI", "TimeTravel", "TreeCollections",
  ])
  func everyPublicTypeIsListed(module: String) throws {
    let folder = try #require(PackageFolder.folder(ofTarget: module))
    let declaration =
      /^(?:@\w+(?:\([^)]*\))? )*public (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    let item = /^- ``(?:\w+\/)?(\w+)``$/
    var types: Set<String> = []
    var listed: Set<String> = []
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    {
      guard ["swift", "md"].contains(file.pathExtension) else { continue }
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        if file.pathExtension == "md" {
          if let match = line.wholeMatch(of: item) { listed.insert(String(match.1)) }
        } else if let match = line.prefixMatch(of: declaration) {
          types.insert(String(match.1))
        }
      }
    }
    #expect(types.subtracting(listed).sorted() == [])
    #expect(!types.isEmpty)
  }
}
