import ActionLog
import ActionLogTesting
import AnimalsData
import EventSourcing

/// A snapshot. If it has no commit mark it gets one, so that mutations reach further than the checksum.
struct FuzzedSnapshot {
  private let files = MemoryFileSystem()
  private let store: SnapshotStore
  private let revision: Int

  init(_ input: [UInt8]) {
    store = SnapshotStore(at: "/log", fileSystem: files)
    revision = Self.revision(of: input)
    var bytes = input
    if !CommitMark.isIntact(bytes) { CommitMark.append(to: &bytes) }
    do { try files.setContents(bytes, of: store.path(at: revision)) } catch { fatalError("a disk in memory: \(error)") }
  }

  /// Returns the revision in the first member, so that most inputs have the matching file name.
  private static func revision(of input: [UInt8]) -> Int {
    let digits = input.dropFirst(#"{"seq":"#.utf8.count).prefix(15).prefix { byte in (0x30...0x39).contains(byte) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  func check() throws(FuzzFlaw) {
    let strict = FuzzFlaw.accepted { try store.read(at: revision) }
    try checkQuickReading(strict)
    guard let strict else { return }
    let copies = MemoryFileSystem()
    let copy = SnapshotStore(at: "/log", fileSystem: copies)
    _ = try FuzzFlaw.never("not written") {
      try copies.createDirectory("/log")
      return try copy.publish(strict)
    }
    let again = try FuzzFlaw.never("written as no snapshot") { try copy.read(at: revision) }
    try FuzzFlaw.unless(again == strict, "written as another snapshot")
  }

  /// Checks that the fast path accepts the same snapshots as the strict one, with the same state.
  private func checkQuickReading(_ strict: Snapshot?) throws(FuzzFlaw) {
    let codable = StateCoder<AnimalsState>.codable
    let expected = strict.flatMap { strict in FuzzFlaw.accepted { try codable.decode(from: strict.state[...]) } }
    let file = FuzzFlaw.accepted { try store.file(at: revision) }
    let state = file.flatMap { file in FuzzFlaw.accepted { try file.decodeState(by: StateCoder<AnimalsState>()) } }
    try FuzzFlaw.unless(state == expected, "read quickly the state is another one")
    guard var header = strict, let file else {
      return try FuzzFlaw.unless(strict == nil, "read quickly it is refused")
    }
    header.state = file.snapshot.state
    try FuzzFlaw.unless(header == file.snapshot, "read quickly it says something else")
  }
}
