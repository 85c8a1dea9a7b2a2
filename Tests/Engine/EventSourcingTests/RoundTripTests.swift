import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import JSONCoding
import TestSupport
import Testing

/// What is recorded decodes to what was dispatched.
@MainActor @Suite struct RoundTripTests {
  private let disk = MemoryFileSystem()

  private func open<Action>(_ action: Action.Type) throws -> RecordingStore<Keeper<Action>> {
    try RecordingStore(at: "log", configuration: reproducible(Keeper<Action>.self), fileSystem: disk)
  }

  private func types() throws -> [String] {
    try disk.records().map(\.type).filter { type in !type.hasPrefix("@") }
  }

  @Test func anUndecodableActionIsRefused() async throws {
    let store = try open(Lossy.self)
    let error = try #require(throws: EventSourcingError.self) {
      try store.dispatch(action: .visit(URLComponents().url))
    }
    #expect(error.code == .unencodableAction && error.message == "an action of type 'visit' does not decode again")
    #expect(error.cause != nil)
    #expect(store.state.texts.isEmpty)
    try store.dispatch(action: .visit(nil))
    try await store.close()
    #expect(try types() == ["visit"])
    #expect(try open(Lossy.self).state == store.state)
  }

  @Test(arguments: [
    (Lossy.number(.some(nil)), "number(Optional(nil)) is read back as number(nil)"),
    (.visit(URL(string: "a", relativeTo: URL(string: "https://b/"))), "visit(Optional("),
  ])
  func anActionThatBecomesAnotherIsRefused(action: Lossy, cause: String) async throws {
    let store = try open(Lossy.self)
    let error = try #require(throws: EventSourcingError.self) { try store.dispatch(action: action) }
    #expect(error.code == .unencodableAction && error.message.hasSuffix("decodes to another action"))
    #expect(error.cause?.hasPrefix(cause) == true, "\(error)")
    #expect(store.state.texts.isEmpty)
    try await store.close()
    #expect(try types().isEmpty)
  }

  @Test func suchAnActionFailsARecorder() async throws {
    let recorder = try Recorder<Keeper<Lossy>>(
      at: "log", configuration: reproducible(Keeper<Lossy>.self), fileSystem: disk)
    let store = try recorder.makeStore()
    try store.dispatch(action: .visit(nil))
    try store.dispatch(action: .number(.some(nil)))
    let error = try await #require(throws: EventSourcingError.self) { try await recorder.sync() }
    #expect(error.code == .unencodableAction)
    #expect(throws: EventSourcingError.self) { try store.dispatch(action: .visit(nil)) }
    await recorder.abandon()
    #expect(try types() == ["visit"])
    #expect(try open(Lossy.self).state.texts == ["visit(nil)"])
  }

  @Test(arguments: [false, true])
  func oneOfManyActionsIsChecked(throughRecorder: Bool) async throws {
    let good = Array(repeating: Lossy.number(1), count: RoundTripSample.interval - 1)
    if throughRecorder {
      let recorder = try Recorder<Keeper<Lossy>>(
        at: "log", configuration: reproducible(Keeper<Lossy>.self), fileSystem: disk)
      let store = try recorder.makeStore()
      for action in good + [.number(.some(nil))] { try store.dispatch(action: action) }
      await #expect(throws: EventSourcingError.self) { try await recorder.sync() }
      await recorder.abandon()
    } else {
      let store = try open(Lossy.self)
      for action in good { try store.dispatch(action: action) }
      #expect(throws: EventSourcingError.self) { try store.dispatch(action: .number(.some(nil))) }
      try await store.close()
    }
    #expect(try types().count == good.count)
  }

  @Test func generatedCodeIsChecked() async throws {
    #expect(ActionCoder<Rounding>().isDirect)
    let store = try open(Rounding.self)
    let error = try #require(throws: EventSourcingError.self) { try store.dispatch(action: .set(Rounded(1.5))) }
    #expect(error.message == "an action of type 'set' decodes to another action")
    try store.dispatch(action: .set(Rounded(2)))
    try await store.close()
    #expect(try types() == ["set"])
  }

  @Test func anActionWithAnEscapedTypeIsChecked() async throws {
    let store = try open(Quoted.self)
    let error = try #require(throws: EventSourcingError.self) { try store.dispatch(action: .`say "no"`(.some(nil))) }
    #expect(error.message == #"an action of type 'say "no"' decodes to another action"#)
    try store.dispatch(action: .`say "no"`(1))
    try await store.close()
    #expect(try types() == [#"say "no""#])
  }

  // MARK: - States

  @Test func aBaseThatBecomesAnotherIsRefused() async throws {
    var base = Kept()
    base.number = .some(nil)
    let error = try #require(throws: EventSourcingError.self) {
      try RecordingStore<Keeper<Lossy>>(
        at: "log", startingAt: base, configuration: reproducible(Keeper<Lossy>.self), fileSystem: disk)
    }
    #expect(error.code == .unencodableState && error.message == "the state decodes to another state")
    let store = try open(Lossy.self)
    #expect(store.state == Kept())
    try await store.close()
  }

  @Test(arguments: [DigestPolicy.withSnapshots, .onlyAtStart])
  func noSnapshotIsTakenOfSuchAState(digests: DigestPolicy) async throws {
    let store = try RecordingStore<Keeper<Tally.Action>>(
      at: "log", configuration: reproducible(Keeper<Tally.Action>.self, snapshots: .every(1), digests: digests),
      fileSystem: disk)
    try store.dispatch(action: .add(1))
    await store.settleSnapshots()
    let error = store.snapshotError as? EventSourcingError
    #expect(error?.code == .unencodableState)
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions().isEmpty)
    try await store.close()
  }
}

/// A state that some actions make irreversible.
struct Kept: Codable, Equatable, Sendable {
  var texts: [String] = []
  var number: Int??
}

/// Keeps descriptions of actions.
private enum Keeper<Action: Codable & Equatable & Sendable>: Model {
  static var name: String { "keeper" }
  static var schema: Int { 1 }
  static var initialState: Kept { Kept() }

  static func reduce(into state: inout Kept, action: Action) {
    state.texts.append("\(action)")
    if case TallyAction.add? = action as? TallyAction { state.number = .some(nil) }
  }
}

/// Actions with values that `Codable` does not preserve.
enum Lossy: Codable, Equatable, Sendable {
  case visit(URL?)
  case number(Int??)
}

/// An action whose type needs an escape.
private enum Quoted: Codable, Equatable, Sendable {
  case `say "no"`(Int??)
}

/// A number that loses its fraction when it is written.
private struct Rounded: DirectCodable, Equatable, Sendable {
  let value: Double

  static let directShape = DirectShape(of: Self.self, members: nil, samples: ["0"], parts: { [] })

  init(_ value: Double) { self.value = value }

  init(from decoder: any Decoder) throws { value = Double(try decoder.singleValueContainer().decode(Int.self)) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Int(value))
  }

  func write(directly writer: inout DirectWriter) { Int(value).write(directly: &writer) }

  init(directly reader: inout DirectReader) throws(DirectMismatch) { value = Double(try Int(directly: &reader)) }
}

/// An action in the form of generated code.
private enum Rounding: DirectAction, Equatable, Sendable {
  case set(Rounded)

  private var rounded: Rounded {
    switch self {
    case .set(let value): value
    }
  }

  static let directShape = DirectShape(
    of: Self.self, members: nil, samples: [#"{"set":{"_0":0}}"#], parts: { [] })

  func write(directly writer: inout DirectWriter) {
    writer.literal(#"{"set":"#)
    writeData(directly: &writer)
    writer.literal("}")
  }

  init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.literal(#"{"set":{"_0":"#)
    self = .set(try Rounded(directly: &reader))
    try reader.literal("}}")
  }

  func writeType(directly writer: inout DirectWriter) { writer.literal("set") }

  func writeData(directly writer: inout DirectWriter) {
    writer.literal(#"{"_0":"#)
    rounded.write(directly: &writer)
    writer.literal("}")
  }

  init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    try type.literal("set")
    try data.literal(#"{"_0":"#)
    self = .set(try Rounded(directly: &data))
    try data.literal("}")
  }
}
