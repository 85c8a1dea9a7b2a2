import DirectCodingGenerator
import Foundation

/// The tool that the command plugin runs after the compiler has described a module.
@main
struct DirectCodingTool {
  private let module: String
  private let options: [String: String]
  private let isCheck: Bool

  static func main() {
    do {
      let tool = try DirectCodingTool(Array(CommandLine.arguments.dropFirst()))
      exit(try tool.run())
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private init(_ arguments: [String]) throws {
    var options: [String: String] = [:]
    var rest = arguments.dropFirst()
    while let name = rest.popFirst(), name != "--check" {
      guard ["--graph", "--values", "--output", "--refused", "--log"].contains(name), let value = rest.popFirst() else {
        throw ToolError("unknown argument '\(name)'")
      }
      options[name] = value
    }
    guard let module = arguments.first, rest.isEmpty else { throw ToolError("a module, options, --check at the end") }
    self.module = module
    self.options = options
    isCheck = arguments.last == "--check"
  }

  /// - Returns: 0 if the file is up to date; 2 if it was changed, or with `--check` would be changed.
  private func run() throws -> Int32 {
    let output = try path("--output")
    let old = FileManager.default.contents(atPath: output).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let refused = try refusedTypes(old)
    let generator = try Generator(
      module: module, symbolGraph: contents("\(path("--graph"))/\(module).symbols.json"),
      constantValues: constantValues(), refused: refused, replacing: old)
    if isCheck { return old == generator.source || generator.direct.isEmpty && old.isEmpty ? 0 : 2 }
    report(generator)
    if old == generator.source { return 0 }
    if generator.direct.isEmpty {
      if FileManager.default.fileExists(atPath: output) { try FileManager.default.removeItem(atPath: output) }
      return 0
    }
    try Data(generator.source.utf8).write(to: URL(fileURLWithPath: output))
    return 2
  }

  private func report(_ generator: Generator) {
    let byHand = generator.handWritten
    print(
      "\(module): \(generator.direct.count) types are coded directly"
        + (byHand.isEmpty ? "" : ", and by hand: \(byHand.joined(separator: ", "))"))
    for (name, reason) in generator.others { print("  \(name) goes through Codable: \(reason)") }
  }

  private func path(_ option: String) throws -> String {
    guard let path = options[option] else { throw ToolError("\(option) is missing") }
    return path
  }

  private func contents(_ path: String) throws -> Data {
    guard let data = FileManager.default.contents(atPath: path) else { throw ToolError("cannot read \(path)") }
    return data
  }

  /// Returns the files of the module in the build folder. Their location depends on the build system.
  private func constantValues() throws -> [Data] {
    let folder = try path("--values")
    let paths = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted()
    // Files of the module are recognized by their folder or by their own name.
    var own = paths.filter { path in
      guard path.hasSuffix(".swiftconstvalues") else { return false }
      return path.split(separator: "/").contains { $0 == "\(module).build" }
        || path.hasSuffix("/\(module).swiftconstvalues")
    }
    // Files of other configurations may be outdated.
    let debug = own.filter { path in path.split(separator: "/").contains { $0.lowercased().hasPrefix("debug") } }
    if !debug.isEmpty { own = debug }
    guard !own.isEmpty else {
      throw ToolError("the compiler has written no constant values of \(module) below \(folder)")
    }
    return try own.map { try contents(folder + "/" + $0) }
  }

  /// Returns the types whose code did not compile: those of earlier runs, and those in a compiler's log.
  private func refusedTypes(_ source: String) throws -> [(name: String, reason: String)] {
    if isCheck { return Generator.refusedTypes(in: source) }
    guard let file = options["--refused"] else { return [] }
    var text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
    if let log = options["--log"] {
      let name = "/" + (try path("--output").split(separator: "/").last ?? "") + ":"
      for line in String(decoding: try contents(log), as: UTF8.self).split(separator: "\n") {
        guard let range = line.range(of: name), let message = line.range(of: ": error: ") else { continue }
        guard let number = line[range.upperBound...].split(separator: ":").first.flatMap({ Int($0) }),
          let type = Generator.type(at: number, in: source)
        else { continue }
        text += "\(type)\t\(Generator.refusal): \(line[message.upperBound...])\n"
      }
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t")
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }
}

/// A failure of the tool with its description.
struct ToolError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
