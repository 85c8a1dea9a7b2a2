import Foundation
import TestSupport
import Testing

/// All errors of the package describe themselves in one way, and none of them is inspected by reflection.
@Suite struct ErrorTypeTests {
  /// The sources of the package, without those of the plugins, which are programs of the build.
  private let sources: [(path: String, text: String)]

  init() throws {
    let root = PackageFolder.root.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    sources = try files.compactMap { file in
      guard let file = file as? URL, file.pathExtension == "swift" else { return nil }
      let path = String(file.path.dropFirst(root.path.count + 1))
      return path.hasPrefix("Plugins/") ? nil : (path, try String(contentsOf: file, encoding: .utf8))
    }
  }

  /// A declaration of an error, or an extension that makes a type one.
  private struct Adoption {
    var isExtension: Bool
    var isPublic: Bool
    var name: String
    var isDescribed: Bool
    var path: String

    /// The folder of the module, or of the sample.
    var folder: String { path.split(separator: "/").prefix(2).joined(separator: "/") }
  }

  private func adoptions() throws -> [Adoption] {
    let declaration = try NSRegularExpression(
      pattern:
        #"^ *(public |package |private |fileprivate )?(?:final |indirect )?(struct|enum|class|actor|extension) ([\w.]+)(?:<.*>)?: (.*)\{"#
    )
    let errors: Set = ["Error", "Swift.Error", "DescribedError", "LocalizedError"]
    return sources.flatMap { source in
      source.text.split(separator: "\n").compactMap { line in
        guard line.contains("Error"), line.contains(": "), line.contains("{") else { return nil }
        let line = String(line)
        let range = NSRange(line.startIndex..., in: line)
        guard let match = declaration.firstMatch(in: line, range: range) else { return nil }
        let groups = (0...4).map { index in
          Range(match.range(at: index), in: line).map { range in String(line[range]) } ?? ""
        }
        let adopted = Set(groups[4].split { character in character == "," || character == " " }.map(String.init))
        guard !adopted.isDisjoint(with: errors) else { return nil }
        return Adoption(
          isExtension: groups[2] == "extension", isPublic: groups[1] == "public ", name: groups[3],
          isDescribed: adopted.contains("DescribedError"), path: source.path)
      }
    }
  }

  @Test func everyPublicErrorIsDescribed() throws {
    let all = try adoptions()
    let declarations = all.filter { adoption in !adoption.isExtension }
    // It has no details by design: the general decoder then reports what is wrong.
    let exceptions: Set = ["DirectMismatch"]
    // The module of the protocol imports these modules, and adopts it for their errors.
    let adoptedAbove = ["Engine/JSONCoding": "Engine/ActionLog"]
    for error in declarations where error.isPublic {
      let isDescribed = all.contains { other in
        other.isDescribed && other.name == error.name
          && [error.folder, adoptedAbove[error.folder]].contains(other.folder)
      }
      #expect(isDescribed != exceptions.contains(error.name), "\(error.path): \(error.name)")
    }
    #expect(
      Set(declarations.map(\.name)).isSuperset(of: [
        "LogError", "FileSystemError", "JSONError", "EventSourcingError", "SnapshotRefusal", "TimeTravelError",
        "InterchangeError", "ToolStreamError", "ToolFailure", "TerminalError", "HTTPServerError", "SampleError",
        "NetworkSessionError", "CounterError",
      ]), "the pattern misses declarations")
  }

  /// Reflection finds what a declaration does not promise. The listed files inspect the layout of values of any type, or provide a
  /// mirror.
  @Test func errorsAreNotInspectedByReflection() {
    let others: Set = [
      "Engine/JSONCoding/Direct/DirectShape.swift", "Engine/JSONCoding/Memory/KeptContainer.swift",
      "Engine/TimeTravel/Cursor/KeyframeCache.swift", "Engine/TreeCollections/CowBox.swift",
      "Engine/TreeCollections/TreeDictionary.swift",
    ]
    let users = sources.filter { source in
      source.text.contains("Mirror(")
        && source.text.split { character in !character.isLetter && character != "(" }
          .contains { word in word.hasPrefix("Mirror(") }
    }
    #expect(Set(users.map(\.path)) == others)
  }
}
