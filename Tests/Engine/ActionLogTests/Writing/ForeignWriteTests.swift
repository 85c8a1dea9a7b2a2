import ActionLog
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

/// The lock was lost, and another writer intervenes between the check before a batch and its write.
@Suite("Writes by another writer", .timeLimit(.minutes(60)))
struct ForeignWriteTests {
  /// The action of the other writer.
  enum ForeignWrite: CaseIterable {
    /// Opens the log, which appends to the same segment.
    case opens
    /// Seals the segment and begins another one, which does not change the segment's length.
    case seals
  }

  /// A log with one action and a writer that is disturbed at its next append.
  private struct Scene {
    let story: LogStory
    let door: FaultyFileSystem
    let writer: LogWriter
    private let isArmed = Locked(false)

    init(_ durability: Durability, _ foreignWrite: ForeignWrite) throws {
      var story = LogStory(durability: durability)
      let (files, isArmed, segment, next) = (story.files, isArmed, story.segment(), story.segment(2))
      door = FaultyFileSystem(files) { call in
        guard call.operation == .append, call.path.hasPrefix(segment) else { return }
        guard isArmed.withLock({ isArmed in (isArmed, isArmed = false).0 }) else { return }
        #expect(throws: Never.self) {
          // The second writer continues a copy of the log, whose lock is free.
          let copy = LogStory(files.crash(.onlySyncedSurvives))
          let otherWriter = try copy.open(schema: foreignWrite == .seals ? 2 : 1)
          // A newer schema begins a segment with its first record.
          if foreignWrite == .seals { try otherWriter.appendNow([.numbered(2)]) }
          otherWriter.abandon()
          if foreignWrite == .seals {
            try files.setContents(try copy.bytes(2), of: next)
          } else {
            let more = try copy.bytes().dropFirst(try files.contents(of: segment).count)
            #expect(!more.isEmpty)
            try files.open(segment, for: .append).append(Array(more))
          }
        }
      }
      story.door = door
      writer = try story.open()
      self.story = story
      try writer.appendNow([.numbered(1)])
    }

    func arm() { isArmed.withLock { isArmed in isArmed = true } }
  }

  @Test(arguments: [Durability.synced, .full], ForeignWrite.allCases)
  func aForeignAppendIsDetectedBeforeTheAcknowledgment(durability: Durability, foreignWrite: ForeignWrite) throws {
    let scene = try Scene(durability, foreignWrite)
    let head = try scene.story.files.contents(of: scene.story.head)
    scene.arm()
    let error = try #require(#expect(throws: LogError.self) { try scene.writer.appendNow([.numbered(2)]) })
    #expect(error.code == .failed)
    #expect(error.path == scene.story.segment(foreignWrite == .seals ? 2 : 1))
    #expect(scene.writer.status.syncedRevision == 1)
    #expect(try scene.story.files.contents(of: scene.story.head) == head)
    let again = #expect(throws: LogError.self) { try scene.writer.appendNow([.numbered(3)]) }
    #expect(again?.description == error.description, "and nothing more is taken")
  }

  @Test(arguments: [Durability.queued, .written])
  func aForeignAppendIsDetectedAtEveryLevel(durability: Durability) throws {
    let scene = try Scene(durability, .opens)
    scene.arm()
    #expect(#expect(throws: LogError.self) { _ = try scene.writer.writeNow([.numbered(2)]) }?.code == .failed)
    #expect(scene.writer.status.writtenRevision == 1)
  }

  /// A batch that could not be written is truncated, without a byte of the other writer.
  @Test func foreignBytesAreNeverTruncated() throws {
    let scene = try Scene(.synced, .opens)
    scene.arm()
    scene.door.add(FileFault(.append, code: .noSpace, partialWrite: .bytes(5)))
    let error = #expect(throws: LogError.self) { try scene.writer.appendNow([.numbered(2)]) }
    #expect(error?.code == .failed)
    #expect(error?.message.contains("another program") == true)
    let text = String(decoding: try scene.story.bytes(), as: UTF8.self)
    #expect(text.contains(#""type":"@open""#))
    #expect(scene.writer.status.syncedRevision == 1)
  }

  /// A segment truncated by another program is not extended with zeros.
  @Test func aForeignTruncationIsNotUndone() throws {
    var story = LogStory(durability: .synced)
    let (files, segment) = (story.files, story.segment())
    let isArmed = Locked(false)
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .append, isArmed.withLock({ isArmed in (isArmed, isArmed = false).0 }) else { return }
      #expect(throws: Never.self) { try files.open(segment, for: .append).truncate(toBytes: 100) }
    }
    story.door = door
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    isArmed.withLock { isArmed in isArmed = true }
    door.add(FileFault(.append, code: .noSpace))
    let error = #expect(throws: LogError.self) { try writer.appendNow([.numbered(2)]) }
    #expect(error?.code == .failed && error?.message.contains("it has 100 bytes") == true)
    #expect(try story.bytes().count == 100)
  }

  /// Only the checks after the write fail: unchecked lines are not acknowledged, and the log remains usable.
  @Test func aFailedCheckAfterAWriteRejectsTheBatch() throws {
    var story = LogStory(durability: .synced)
    let door = FaultyFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.status, number: 2))
    #expect(#expect(throws: LogError.self) { try writer.appendNow([.numbered(2)]) }?.code == .rejected)
    #expect(try writer.appendNow([.numbered(3)]).revision == 2)
    #expect(try story.read().actions == [1, 3])
  }
}
