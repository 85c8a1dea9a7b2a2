import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Foundation
import Platform
import TestSupport
import Testing

#if canImport(CryptoKit)
import CryptoKit
#endif

// The code of the section *Erase copies, too* of the page *Redaction*, between marks, so that it is compiled and run.

// begin: sealed
/// The keys of an application, by name. They are stored outside the log, and never in its directory.
protocol SealingKeys {
  func seal(_ bytes: Data, for key: String) throws -> Data
  /// Returns `nil` if the key was thrown away.
  func open(_ sealed: Data, for key: String) throws -> Data?
}

struct MissingKey: Error {
  var name: String
}

/// A value that can be read as long as its key exists. Actions and states contain it in this form.
struct Sealed<Value: Codable>: Codable, Equatable {
  /// The name of the key, such as the person whom the value is about.
  private(set) var key: String
  /// The encrypted value, in base64.
  private(set) var sealed: String

  /// Encrypts a value before it is dispatched in an action.
  init(_ value: Value, key: String, by keys: some SealingKeys) throws {
    self.key = key
    sealed = try keys.seal(JSONEncoder().encode([value]), for: key).base64EncodedString()
  }

  /// Decrypts the value. Only views call this: a reducer has no keys.
  func open(by keys: some SealingKeys) throws -> Value? {
    guard let bytes = Data(base64Encoded: sealed), let json = try keys.open(bytes, for: key) else { return nil }
    return try JSONDecoder().decode([Value].self, from: json).first
  }
}

extension Sealed: Sendable where Value: Sendable {}
// end: sealed

#if canImport(CryptoKit)
// begin: cipher
struct SubjectKeys: SealingKeys {
  var keys: [String: SymmetricKey] = [:]

  func seal(_ bytes: Data, for key: String) throws -> Data {
    guard let secret = keys[key] else { throw MissingKey(name: key) }
    // With a random nonce, 96 bits and the tag of 128 bits; the key's name is authenticated.
    return try AES.GCM.seal(bytes, using: secret, authenticating: Data(key.utf8)).combined ?? Data()
  }

  func open(_ sealed: Data, for key: String) throws -> Data? {
    guard let secret = keys[key] else { return nil }
    return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: secret, authenticating: Data(key.utf8))
  }
}
// end: cipher
#endif

/// A stand-in for a cipher, because this toolchain has none on Linux. **It protects nothing**: the exclusive or of the bytes and a
/// repeated key. The tests are about the log, which behaves the same with every cipher.
private final class StandInKeys: SealingKeys, Sendable {
  private let keys = Locked<[String: [UInt8]]>([:])

  func make(_ name: String) {
    keys.withLock { keys in keys[name] = (0..<32).map { _ in UInt8.random(in: 128 ... .max) } }
  }

  func throwAway(_ name: String) { keys.withLock { keys in keys[name] = nil } }

  func seal(_ bytes: Data, for key: String) throws -> Data {
    guard let sealed = try open(bytes, for: key) else { throw MissingKey(name: key) }
    return sealed
  }

  func open(_ sealed: Data, for key: String) throws -> Data? {
    guard let secret = keys.withLock({ keys in keys[key] }) else { return nil }
    return Data(zip(sealed, 0...).map { byte, index in byte ^ secret[index % secret.count] })
  }
}

private enum Guests: Model {
  static var sourceFingerprint: String? { "" }
  enum Action: Codable, Equatable, Sendable {
    // begin: action
    case registered(id: String, name: Sealed<String>)
    case left(id: String)
    // end: action
  }

  struct State: Codable, Equatable, Sendable {
    var names: [String: Sealed<String>] = [:]
    var total = 0
  }

  static let name = "guests"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .registered(let id, let name):
      state.names[id] = name
      state.total += 1
    case .left(let id): state.names[id] = nil
    }
  }
}

/// Values that are erased by throwing a key away: nothing of the log notices it.
@MainActor @Suite("Sealed values", .timeLimit(.minutes(60)))
struct SealedValueTests {
  private let disk = MemoryFileSystem()
  private let keys = StandInKeys()

  private func write() async throws {
    for name in ["guest-1", "guest-2"] { keys.make(name) }
    let actions: [Guests.Action] = try [
      .registered(id: "g1", name: Sealed("Ann Smith", key: "guest-1", by: keys)),
      .registered(id: "g2", name: Sealed("Bo Jensen", key: "guest-2", by: keys)),
      .registered(id: "g3", name: Sealed("Ann Smith", key: "guest-1", by: keys)),
      .left(id: "g3"),
    ]
    let configuration = reproducible(Guests.self, snapshots: .every(2), digests: .every(1), segmentLimitBytes: 700)
    try await record(actions, as: Guests.self, at: "log", in: disk, configuration: configuration)
  }

  private func replay(usesSnapshots: Bool) async throws -> Replayed<Guests.State> {
    try await History<Guests>(at: "log", fileSystem: disk)
      .replay(options: .checkingDigests(usesSnapshots: usesSnapshots))
  }

  @Test func aLostKeyChangesNothingInTheLog() async throws {
    try await write()
    let before = try await replay(usesSnapshots: false)
    #expect(try before.state.names["g1"]?.open(by: keys) == "Ann Smith")
    let store = EvidenceStore(log: "log", fileSystem: disk)
    let tree = try store.update()
    let log = try LogReader.open(at: "log", fileSystem: disk).header.log
    let checkpoint = try Checkpoint(origin: Checkpoint.origin(ofLog: log), size: tree.size, root: tree.root)
    let line = try #require(try disk.records().first { record in record.revision == 1 && !record.isControl })
    let index = try #require(try store.index(ofLine: line.rawLine, from: 0))
    let proof = try store.proof(ofLine: line.rawLine, index: index, checkpoint: SignedCheckpoint(checkpoint))
    keys.throwAway("guest-1")
    // The value cannot be read from any copy, and the others can.
    for usesSnapshots in [false, true] {
      let after = try await replay(usesSnapshots: usesSnapshots)
      #expect(after.state == before.state && after.report.divergences.isEmpty)
      #expect(after.report.snapshotsRefused.isEmpty && (after.report.snapshotsLoaded > 0) == usesSnapshots)
      #expect(usesSnapshots || after.report.digestsChecked >= 4)
      #expect(try after.state.names["g1"]?.open(by: keys) == nil)
      #expect(try after.state.names["g2"]?.open(by: keys) == "Bo Jensen")
    }
    #expect(try LogVerifier.verify(at: "log", fileSystem: disk).verdict == .clean)
    #expect(try CheckpointComparison(log: "log", fileSystem: disk).verdict(on: checkpoint).isGood)
    #expect(throws: Never.self) { _ = try proof.verify() }
    for path in disk.filePaths {
      let text = String(decoding: try disk.contents(of: path), as: UTF8.self)
      #expect(!text.contains("Ann") && !text.contains("Smith"), "\(path)")
    }
  }

  @Test func aValueIsItsKeyAndItsBytes() throws {
    keys.make("guest-1")
    let value = try Sealed([1, 2], key: "guest-1", by: keys)
    let json = try JSONEncoder().encode(value)
    let members = try JSONDecoder().decode([String: String].self, from: json)
    #expect(Set(members.keys) == ["key", "sealed"] && members["key"] == "guest-1")
    let decoded = try JSONDecoder().decode(Sealed<[Int]>.self, from: json)
    #expect(try decoded == value && decoded.open(by: keys) == [1, 2])
    #expect(throws: MissingKey.self) { try Sealed("x", key: "guest-9", by: keys) }
  }
}
