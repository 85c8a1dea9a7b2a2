package import Foundation

/// Everything that the commands measured, as one file: each command replaces its own part.
package struct Results: Codable, Equatable, Sendable {
  package var conditions: Conditions?
  package var measurements: [Measurement] = []
  package var instructions: [InstructionCount] = []
  package var guide: GuideResults?
  package var growth: GrowthResults?

  /// Begins with nothing.
  package init() {}

  /// Reads what a file holds.
  ///
  /// - Throws: ``HarnessError`` when there is no such file, or when it holds something else.
  package init(contentsOf path: String) throws {
    let data = try PageFile.data(path, "results")
    do { self = try JSONDecoder().decode(Results.self, from: data) } catch {
      throw HarnessError(
        "'\(path)' holds no results of the benchmarks (\(Self.fault(error))); "
          + "'benchmarks --results FILE' writes such a file")
    }
  }

  /// Reads what a file holds that results are to be added to; nothing, when there is no file yet.
  ///
  /// It is asked before anything is measured: a place that cannot be written to is found then.
  ///
  /// - Throws: ``HarnessError`` when the file holds something else, or when nothing can be written there.
  package init(addingTo path: String) throws {
    let manager = FileManager.default
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var isDirectory: ObjCBool = false
    guard manager.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
      throw HarnessError("results cannot be kept in '\(path)': there is no directory '\(directory)'")
    }
    guard manager.isWritableFile(atPath: directory) else {
      throw HarnessError("results cannot be kept in '\(path)': '\(directory)' may not be written to")
    }
    guard manager.fileExists(atPath: path) else {
      self.init()
      return
    }
    try self.init(contentsOf: path)
  }

  /// Writes the file, its members in order of their names, so that two runs can be compared as texts.
  ///
  /// - Throws: ``HarnessError`` that says why it cannot be written.
  package func write(to path: String) throws {
    try PageFile.write(json, path)
  }

  /// A short description of why a text is not valid results.
  private static func fault(_ error: any Error) -> String {
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? "" : " at '\(path)'"
    }
    return switch error as? DecodingError {
    case .keyNotFound(let key, let context): "there is no '\(key.stringValue)'\(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context): "a value of another kind\(place(context))"
    default: "it is not JSON"
    }
  }

  /// The results as JSON, with a line feed at the end.
  package var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  /// The conditions of the table of targets, evaluated.
  package var targets: TargetTable {
    let sizes = conditions?.size == Sizes.smoke.name ? Sizes.smoke : Sizes.canonical
    return TargetTable(
      Criterion.all(sizes), measurements + instructions.map(\.measurement), judges: sizes == .canonical)
  }
}
