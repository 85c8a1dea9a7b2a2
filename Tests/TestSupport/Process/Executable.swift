package import Foundation

/// Where executables under test lie: beside the tests, where SwiftPM builds them first if the tests depend on them.
package enum Executable {
  /// The path of a program of this package.
  package static func path(of name: String) -> String { directory.appendingPathComponent(name).path }

  /// The directory of the programs, with all other products of the build.
  package static let directory: URL = {
    #if os(macOS)
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      return bundle.bundleURL.deletingLastPathComponent()
    }
    #endif
    return Bundle.main.bundleURL
  }()

  /// The path of another program, if the machine has it.
  package static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    // What root's commands are in is not in everybody's path.
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"])
      .map { directory in directory + "/" + name }
      .first { candidate in FileManager.default.isExecutableFile(atPath: candidate) }
  }
}
