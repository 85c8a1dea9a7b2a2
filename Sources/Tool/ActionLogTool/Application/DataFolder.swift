import ActionLog
import Platform

/// The directory of an application's data: that of `--data`, or one for each application in the system's folder for
/// user data.
///
/// - SeeAlso: XDG Base Directory Specification.
package struct DataFolder: Sendable {
  /// The option that names it.
  package static let option = CommandOption.value(
    "data", letter: "d", "DIR",
    "the folder above the application's logs, created if missing (default: a folder of its own in your data folder)")

  /// The path of the directory.
  package let path: String
  let fileSystem: any LogFileSystem

  /// Finds the directory, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - context: The running command, which takes ``option``.
  ///   - name: The name of the directory in the default folder.
  /// - Throws: ``ToolFailure`` if the directory cannot be created.
  package static func open(_ context: CommandContext, name: String) async throws -> DataFolder {
    try await BlockingWork.run { try DataFolder(context, name: name) }
  }

  /// Finds the directory, and creates it if it is missing. Blocks; ``open(_:name:)`` does not.
  package init(_ context: CommandContext, name: String) throws {
    fileSystem = context.environment.fileSystem
    if let given = context.arguments.value(of: Self.option) {
      try LogLocator(fileSystem).requireFolder(given, option: Self.option.name)
      path = given
    } else {
      path = try Self.defaultPath(context.environment.variables) + "/" + name
    }
    do throws(FileSystemError) {
      try fileSystem.makeDirectories(path)
    } catch {
      var failure =
        error.code == .notADirectory
        ? ToolFailure("inputOutput", .environment, "the path is a file", path: error.path) : ToolFailure(any: error)
      failure.message = "the data directory cannot be created: " + failure.message
      failure.path = failure.path ?? path
      failure.advice = "Name another one with --data DIR, or make it writable. Nothing was changed."
      throw failure
    }
  }

  /// The path of an item in the directory.
  package func path(_ name: String) -> String { path + "/" + name }

  private static func defaultPath(_ variables: [String: String]) throws -> String {
    // The specification requires relative paths to be ignored.
    if let folder = variables["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/action-log" }
    guard let home = variables["HOME"], home.hasPrefix("/") else {
      throw ToolFailure.usage("there is no home directory to keep data in", advice: "Name a directory with --data DIR.")
    }
    #if os(macOS)
    return home + "/Library/Application Support/action-log"
    #else
    return home + "/.local/share/action-log"
    #endif
  }
}
