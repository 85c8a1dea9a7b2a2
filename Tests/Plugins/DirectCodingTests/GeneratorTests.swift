import DirectCodingGenerator
import Foundation
import Testing

/// Tests of the generator with the compiler: they need `swiftc` and the modules of the test build.
@Suite(.enabled(if: Compiler.isThere, "there is no swiftc, or the build has left no modules"))
struct GeneratorTests {
  private static let zoo = Compiler.root.appending(path: "Tests/Plugins/DirectZoo")

  /// Returns the sources of the zoo without those that cannot be described with private declarations.
  private static func describableZoo() throws -> [URL] {
    try Compiler.sources(below: zoo).filter { file in
      !file.path.contains("Generated") && file.lastPathComponent != "ZooLoop.swift"
    }
  }

  @Test(arguments: [
    ("Sources/Samples/Animals/AnimalsData", "AnimalsData", "private"),
    ("Sources/Samples/Counter/CounterData", "CounterData", "private"),
    ("Sources/Samples/FoodTruck/FoodTruckData", "FoodTruckData", "private"),
    ("Sources/Samples/Quakes/QuakesData", "QuakesData", "private"),
    ("Tests/Plugins/DirectZoo", "DirectZoo", "internal"),
  ])
  func committedCodeIsCurrent(folder: String, module: String, level: String) throws {
    let root = Compiler.root.appending(path: folder)
    let committed = root.appending(path: "Generated/\(module)+DirectCoding.swift")
    let sources = try Compiler.sources(below: root).filter { $0.path != committed.path }
    let generator = try Compiler().generate(module: module, level: level, sources)
    let text = try String(contentsOf: committed, encoding: .utf8)
    #expect(
      generator.source == text, "run 'swift package generate-direct-coding --target \(module)' and commit the file")
  }

  /// Fails when the compiler no longer needs the fallback that this source of the zoo exercises.
  @Test func zooIsCircularAtPrivateLevel() throws {
    let sources = try Compiler.sources(below: Self.zoo).filter { !$0.path.contains("Generated") }
    let error = #expect(throws: Compiler.Failure.self) {
      try Compiler().generate(module: "DirectZoo", level: "private", sources)
    }
    #expect(error?.description.contains("circular reference") == true)
  }

  @Test func internalLevelGivesTheSameCode() throws {
    let sources = try Self.describableZoo()
    let full = try Compiler().generate(module: "DirectZoo", level: "private", sources)
    let fallback = try Compiler().generate(module: "DirectZoo", level: "internal", sources)
    #expect(fallback.direct == full.direct)
    let start = try #require(full.source.range(of: "#if canImport"))
    #expect(fallback.source.hasSuffix(full.source[start.lowerBound...]))
    // A private type is neither described nor coded directly at any level.
    #expect(fallback.others.map(\.name) == full.others.map(\.name).filter { $0 != "Outer.Hidden" })
  }

  @Test func existingGeneratedCodeIsNotHandWritten() throws {
    let sources = try Compiler.sources(below: Self.zoo)
    let committed = try #require(sources.first { $0.path.contains("Generated") })
    let text = try String(contentsOf: committed, encoding: .utf8)
    let generator = try Compiler().generate(module: "DirectZoo", level: "internal", sources, replacing: text)
    #expect(generator.source == text)
    #expect(generator.handWritten == ["Price"])
  }

  @Test func codableFallbacksHaveReasons() throws {
    let generator = try Compiler().generate(module: "DirectZoo", Self.describableZoo())
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

  @Test func generatedPackageFollowsChangedTypes() throws {
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
    let changed = types.replacing("count = 1", with: "count = 1; public var color: String? = nil")
    let newSource = try compiler.write(changed, "Types.swift")
    // The code still compiles, but reports itself as stale.
    #expect(try compiler.run("Fixture", [newSource, code, main]).hasPrefix(#"["Fixture.Item"] "#))
    // A new case, on the other hand, does not compile.
    let newCase = try compiler.write(types.replacing(", clear", with: ", clear, pack"), "Types.swift")
    #expect(throws: (any Error).self) { try compiler.run("Fixture", [newCase, code, main]) }
  }

  /// The first block of Swift in the section of a page.
  private func example(in section: String, of page: String) throws -> String {
    let text = try String(contentsOf: Compiler.root.appending(path: page), encoding: .utf8)
    let start = try #require(text.range(of: "\n## \(section)\n")).upperBound
    let blocks = text[start...].components(separatedBy: "```swift\n")
    return try #require(blocks.dropFirst().first).components(separatedBy: "```")[0]
  }

  @Test func handWrittenExampleOfThePageIsDirect() throws {
    let compiler = try Compiler()
    let money = try example(in: "Write it by hand", of: "Sources/Engine/JSONCoding/JSONCoding.docc/DirectCoding.md")
    let source = try compiler.write(money, "Money.swift")
    let types = try compiler.write(
      """
      public enum Action: Codable, Equatable, Sendable { case pay(Money), order(Order) }
      public struct Order: Codable, Equatable, Sendable { public var name: String; public var total: Money }
      """, "Types.swift")
    let generator = try compiler.generate(module: "Fixture", [source, types])
    #expect(generator.direct == ["Action", "Order"])
    #expect(generator.handWritten == ["Money"])
    #expect(generator.others.isEmpty)
    let code = try compiler.write(generator.source, "Code.swift")
    let main = try compiler.write(
      """
      import JSONCoding
      func show(_ action: Action) {
        var type = DirectWriter()
        var data = DirectWriter()
        action.writeType(directly: &type)
        action.writeData(directly: &data)
        print(String(decoding: type.bytes, as: UTF8.self), String(decoding: data.bytes, as: UTF8.self))
      }
      print(DirectShape.staleTypes(in: Action.self))
      show(.pay(Money(cents: 1250)))
      show(.order(Order(name: "tea", total: Money(cents: 3))))
      """, "main.swift")
    let output = #"[]"# + "\n" + #"pay {"_0":1250}"# + "\n" + #"order {"_0":{"name":"tea","total":3}}"# + "\n"
    #expect(try compiler.run("Fixture", [source, types, code, main]) == output)
    // A mistake in handwritten code is found by its samples, also for types that contain it.
    let wrong = try compiler.write(money.replacing("writer.integer(cents)", with: "writer.double(0.5)"), "Money.swift")
    let stale = try compiler.run("Fixture", [wrong, types, code, main])
    for type in ["Action", "Order", "Money"] { #expect(stale.contains("Fixture.\(type)")) }
  }

  /// Enum cases call a conformance that was added after their code was generated.
  @Test func laterConformanceIsUsedAndChecked() throws {
    let compiler = try Compiler()
    let page = try example(in: "Write it by hand", of: "Sources/Engine/JSONCoding/JSONCoding.docc/DirectCoding.md")
    let parts = page.components(separatedBy: "extension Money: DirectCodable")
    let money = try compiler.write(parts[0], "Money.swift")
    let types = try compiler.write(
      "public enum Action: Codable, Equatable, Sendable { case pay(amount: Money), refund(amounts: [Money]), none }",
      "Types.swift")
    let generator = try compiler.generate(module: "Fixture", [money, types])
    #expect(generator.others.map(\.name) == ["Money"])
    let code = try compiler.write(generator.source, "Code.swift")
    let main = try compiler.write(
      """
      import JSONCoding
      nonisolated(unsafe) var calls = 0
      print(DirectShape.staleTypes(in: Action.self))
      calls = 0
      var writer = DirectWriter()
      Action.refund(amounts: [Money(cents: 1), Money(cents: 2)]).write(directly: &writer)
      print(calls, String(decoding: writer.bytes, as: UTF8.self))
      """, "main.swift")
    let text = #"{"refund":{"amounts":[1,2]}}"# + "\n"
    #expect(try compiler.run("Fixture", [money, types, code, main]) == "[]\n0 " + text)
    let conformance = page.replacing("writer.integer(cents)", with: "calls += 1; writer.integer(cents)")
    let later = try compiler.write(conformance, "Money.swift")
    #expect(try compiler.run("Fixture", [later, types, code, main]) == "[]\n2 " + text)
    let wrong = try compiler.write(page.replacing("writer.integer(cents)", with: "writer.integer(1)"), "Money.swift")
    #expect(try compiler.run("Fixture", [wrong, types, code, main]).hasPrefix("[\"Fixture.Money\"]"))
  }
}
