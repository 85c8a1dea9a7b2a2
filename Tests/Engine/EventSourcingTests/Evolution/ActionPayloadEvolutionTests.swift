import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import TestSupport
import Testing

/// A log with the cases of a payload in its action types, read and continued by programs that record the payload as a value.
@Suite struct ActionPayloadEvolutionTests {
  private let disk = MemoryFileSystem()

  /// The original rules: part of the type.
  enum Before: Model {
    enum Action: Codable, Equatable, Sendable {
      case rule(Rule)
      case clear
    }

    indirect enum Rule: Codable, Equatable, Sendable {
      case always
      case not(Rule)
      case over(Int)
    }

    static var name: String { "rules" }
    static var schema: Int { 1 }
    static var initialState: [Rule] { [] }

    static func reduce(into state: inout [Rule], action: Action) {
      switch action {
      case .rule(let rule): state.append(rule)
      case .clear: state = []
      }
    }
  }

  /// The same rules as values.
  enum Same: Model {
    enum Action: Codable, Equatable, Sendable {
      case rule(Rule)
      case clear
    }

    indirect enum Rule: Codable, Equatable, Sendable, ActionPayload {
      case always
      case not(Rule)
      case over(Int)
    }

    static var name: String { "rules" }
    static var schema: Int { 1 }
    static var initialState: [Rule] { [] }

    static func reduce(into state: inout [Rule], action: Action) {
      switch action {
      case .rule(let rule): state.append(rule)
      case .clear: state = []
      }
    }
  }

  /// The rules after a case got another value.
  enum After: Model {
    enum Action: Codable, Equatable, Sendable {
      case rule(Rule)
      case clear
    }

    indirect enum Rule: Codable, Equatable, Sendable, ActionPayload {
      case always
      case not(Rule)
      case over(limit: Int, unit: String)
    }

    static var name: String { "rules" }
    static var schema: Int { 3 }
    static var initialState: [Rule] { [] }
    static var evolution: SchemaEvolution {
      SchemaEvolution(
        SchemaStep(from: 1, to: 2, [.shorten("rule.*")]),
        SchemaStep(
          from: 2, to: 3,
          [
            .edit("rule", at: "/_0/over") { over in
              if let limit = over?[JSONPointer(["_0"])] { over = ["limit": limit, "unit": "g"] }
            }
          ]))
    }

    static func reduce(into state: inout [Rule], action: Action) {
      switch action {
      case .rule(let rule): state.append(rule)
      case .clear: state = []
      }
    }
  }

  private static let rules: [Before.Action] = [
    .clear, .rule(.always), .rule(.not(.not(.always))), .rule(.not(.always)),
  ]

  @MainActor private func append<M: Model>(_ actions: [M.Action], as model: M.Type) async throws {
    try await record(actions, as: model, at: "log", in: disk, configuration: reproducible(model))
  }

  private func types() throws -> [String] {
    var records = try LogReader.open(at: "log", fileSystem: disk).records(from: 1)
    var types: [String] = []
    while let record = try records.next() { if !record.isControl { types.append(record.type) } }
    return types
  }

  @Test @MainActor func olderFormIsReadAndContinued() async throws {
    try await append(Self.rules, as: Before.self)
    let digest = try await History<Before>(at: "log", fileSystem: disk).state()
    let same = try await History<Same>(at: "log", fileSystem: disk)
    #expect(
      try StrictJSONEncoder(form: .canonical).encode(same.state(options: .wholeLog))
        == StrictJSONEncoder(form: .canonical).encode(digest))
    #expect(try same.prove().isProven)
    try await append([.rule(.not(.not(.always))), .clear], as: Same.self)
    #expect(try types() == ["clear", "rule.always", "rule.not.not.always", "rule.not.always", "rule", "clear"])
    // The program without the conformance reads the newer form.
    #expect(try await History<Before>(at: "log", fileSystem: disk).action(at: 5).action == Self.rules[2])
    #expect(try await History<Same>(at: "log", fileSystem: disk).action(at: 5).action == .rule(.not(.not(.always))))
  }

  @Test @MainActor func stepsFindOneType() async throws {
    try await append(Self.rules + [.rule(.over(5))], as: Before.self)
    let history = try await History<After>(at: "log", fileSystem: disk)
    #expect(try await history.state() == [.always, .not(.not(.always)), .not(.always), .over(limit: 5, unit: "g")])
  }

  @Test @MainActor func compatibilityNamesRecursiveTypes() async throws {
    try await append(Self.rules, as: Before.self)
    let before = try await History<Before>(at: "log", fileSystem: disk).compatibility()
    #expect(before.grade == .fine && before.recursiveTypes == ["rule.not.not.always"])
    let same = try await History<Same>(at: "log", fileSystem: disk).compatibility()
    #expect(same.grade == .fine && same.recursiveTypes.isEmpty)
    #expect(same.entries.map(\.reason) == [""] + Array(repeating: "recorded as 'rule' by this program", count: 3))
    #expect(same.skeleton.isEmpty)
  }

  /// A payload's case is a value, so removing it does not remove a type.
  @Test @MainActor func aMissingPayloadCaseIsUndecodable() async throws {
    enum Poor: Model {
      enum Action: Codable, Equatable, Sendable { case rule(Rule) }
      enum Rule: Codable, Equatable, Sendable, ActionPayload { case always }
      static var name: String { "rules" }
      static var schema: Int { 1 }
      static var initialState: Int { 0 }
      static func reduce(into state: inout Int, action: Action) { state += 1 }
    }
    try await append([.rule(.over(1))], as: Same.self)
    let history = try await History<Poor>(at: "log", fileSystem: disk, unknownTypes: .keep)
    let error = #expect(throws: EventSourcingError.self) { try history.state() }
    #expect(error?.code == .undecodableAction)
  }
}
