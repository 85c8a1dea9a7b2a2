import DirectCodingGenerator
import Foundation
import Testing

/// The generator beside the compiler: it needs `swiftc`, and what the build of the tests has left.
@Suite(.enabled(if: Compiler.isThere, "there is no swiftc, or the build has left no modules"))
struct GeneratorTests {
  @Test(arguments: [
    ("Sources/AnimalsData", "AnimalsData"), ("Sources/CounterData", "CounterData"),
    ("Sources/FoodTruckData", "FoodTruckData"), ("Sources/QuakesData", "QuakesData"), ("Tests/DirectZoo", "DirectZoo"),
  ])
  func committedCodeIsCurrent(folder: String, module: String) throws {
    let root = Compiler.root.appending(path: folder)
    let committed = root.appending(path: "Generated/\(module)+DirectCoding.swift")
    let sources = try Compiler.sources(below: root).filter { $0.path != committed.path }
    let generator = try Compiler().generate(module: module, sources)
    let text = try String(contentsOf: committed, encoding: .utf8)
    #expect(
      generator.source == text, "run 'swift package generate-direct-coding --target \(module)' and commit the file")
  }

  @Test func typesThatGoThroughCodableAreToldWithTheirReasons() throws {
    let root = Compiler.root.appending(path: "Tests/DirectZoo")
    let sources = try Compiler.sources(below: root).filter { !$0.path.contains("Generated") }
    let generator = try Compiler().generate(module: "DirectZoo", sources)
    let reasons = Dictionary(uniqueKeysWithValues: generator.others)
    #expect(reasons["Box"] == "it is generic, or within a generic type")
    #expect(reasons["Money"] == "its coding is written by hand")
    #expect(reasons["Odd"] == "the member 'secret' is private")
    #expect(reasons["Wrapped"] == "the member 'value' has a property wrapper")
    #expect(reasons["Lazy"] == "it has a lazy member")
    #expect(reasons["Renamed"] == "it has CodingKeys of its own")
    #expect(reasons["Reference"] == "it is a class")
    #expect(reasons["Future"] == "it is not available everywhere")
    #expect(reasons["Outer.Hidden"] == "it is private, or within a private type")
    #expect(reasons["PartlyConditional"] == "there is an #if in or around it")
    #expect(reasons["Ticket"] == "the member 'used' can be set in its own file only")
  }

  @Test func aPackageWithoutHandWorkIsDirectAndStaysRightWhenItsTypesChange() throws {
    let compiler = try Compiler()
    let types = """
      public enum Action: Codable, Equatable, Sendable { case add(item: Item), clear }
      public struct Item: Codable, Equatable, Sendable { public var name: String; public var count = 1 }
      """
    let program = """
      import JSONCoding
      var writer = DirectWriter()
      Action.add(item: Item(name: "a")).write(directly: &writer)
      print(DirectShape.staleTypes(in: Action.self), String(decoding: writer.bytes, as: UTF8.self))
      """
    let source = try compiler.write(types, "Types.swift")
    let generator = try compiler.generate(module: "Fixture", [source])
    #expect(generator.direct == ["Action", "Item"])
    #expect(generator.others.isEmpty)
    let code = try compiler.write(generator.source, "Code.swift")
    let main = try compiler.write(program, "main.swift")
    #expect(
      try compiler.run("Fixture", [source, code, main]) == #"[] {"add":{"item":{"name":"a","count":1}}}"# + "\n")
    let changed = types.replacing("count = 1", with: "count = 1; public var colour: String? = nil")
    let newSource = try compiler.write(changed, "Types.swift")
    // The code still compiles, and says of itself that it is not to be used.
    #expect(try compiler.run("Fixture", [newSource, code, main]).hasPrefix(#"["Fixture.Item"] "#))
    // A new case, on the other hand, does not compile.
    let newCase = try compiler.write(types.replacing(", clear", with: ", clear, pack"), "Types.swift")
    #expect(throws: (any Error).self) { try compiler.run("Fixture", [newCase, code, main]) }
  }
}
