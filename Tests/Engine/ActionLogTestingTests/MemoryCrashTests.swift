import ActionLog
import ActionLogTesting
import Testing

@Suite("Power cuts in memory", .timeLimit(.minutes(60)))
struct MemoryCrashTests {
  static let seeds: Range<UInt64> = 0..<300
  static let page = 4096

  /// Bytes without a zero, different on every page.
  private func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<(start + count)).map { index in UInt8(1 + (index + index / Self.page) % 251) }
  }

  /// A file system with a durable, empty file `log/a`.
  private func prepare() throws -> (files: MemoryFileSystem, file: any LogFile) {
    let files = MemoryFileSystem()
    try files.setContents([], of: "log/a")
    return (files, try files.open("log/a", for: .append))
  }

  @Test func syncedBytesAlwaysSurvive() throws {
    let (files, file) = try prepare()
    let durable = bytes(3 * Self.page + 77)
    try file.append(durable)
    try file.sync(.data)
    try file.append(bytes(5 * Self.page, from: durable.count))
    for seed in Self.seeds {
      for lostData in [CrashModel.LostData.zeros, .staleBlocks] {
        let found = try files.crash(CrashModel(seed: seed, lostData: lostData)).contents(of: "log/a")
        #expect(found.starts(with: durable), "seed \(seed)")
        #expect(found.count <= 8 * Self.page + 77, "seed \(seed)")
      }
    }
    #expect(try files.durableContents(of: "log/a") == durable)
    #expect(try files.crash(.onlySyncedSurvives).contents(of: "log/a") == durable)
  }

  @Test func laterPagesCanSurviveWithoutEarlierOnes() throws {
    let (files, file) = try prepare()
    let written = bytes(4 * Self.page)
    try file.append(written)
    var seen: Set<String> = []
    for seed in Self.seeds {
      let model = CrashModel(seed: seed, tornPageShare: 0, earlierPageShare: 0)
      let found = try files.crash(model).contents(of: "log/a")
      guard found.count == written.count else { continue }
      let pattern = (0..<4).map { page in
        let range = (page * Self.page)..<((page + 1) * Self.page)
        if found[range] == written[range] { return "1" }
        #expect(found[range].allSatisfy { byte in byte == 0 }, "seed \(seed), page \(page)")
        return "0"
      }
      seen.insert(pattern.joined())
    }
    #expect(seen.count == 16, "\(seen)")
  }

  @Test func theLengthIsAnyInTheRange() throws {
    let (files, file) = try prepare()
    try file.append(bytes(1_000))
    try file.sync(.data)
    try file.append(bytes(9_000))
    let counts = try Self.seeds.map { seed in try files.crash(CrashModel(seed: seed)).contents(of: "log/a").count }
    #expect(counts.min() == 1_000)
    #expect(counts.max() == 10_000)
    #expect(Set(counts).count > 50)
  }

  @Test func anUnsyncedTruncationCanBeUndone() throws {
    let (files, file) = try prepare()
    try file.append(bytes(2 * Self.page))
    try file.sync(.data)
    try file.truncate(toBytes: 100)
    let found = try Self.seeds.map { seed in try files.crash(CrashModel(seed: seed)).contents(of: "log/a") }
    #expect(found.contains(bytes(2 * Self.page)))
    #expect(found.contains(bytes(100)))
    #expect(found.allSatisfy { bytes in bytes.starts(with: self.bytes(100)) })
    try file.sync(.data)
    let after = try Self.seeds.map { seed in try files.crash(CrashModel(seed: seed)).contents(of: "log/a") }
    #expect(after.allSatisfy { bytes in bytes == self.bytes(100) })
  }

  @Test func anOverwrittenPageCanHaveAnyOfItsVersions() throws {
    let files = MemoryFileSystem()
    try files.setContents([], of: "log/HEAD")
    let head = try files.open("log/HEAD", for: .overwrite)
    for value in UInt8(1)...6 { try head.write([UInt8](repeating: value, count: 128), at: 0) }
    let found = try Self.seeds.map { seed in
      try files.crash(CrashModel(seed: seed, tornPageShare: 0, sizeSurvival: 1)).contents(of: "log/HEAD")
    }
    let whole = Set(found.filter { bytes in bytes.count == 128 })
    #expect(whole == Set([0, 3, 4, 5, 6].map { value in [UInt8](repeating: value, count: 128) }))
  }

  @Test func tornPagesAreTornBetweenSectors() throws {
    let (files, file) = try prepare()
    let written = bytes(Self.page)
    try file.append(written)
    var counts: Set<Int> = []
    for seed in Self.seeds {
      let model = CrashModel(seed: seed, pageSurvival: 1, tornPageShare: 1, earlierPageShare: 0, sizeSurvival: 1)
      let found = try files.crash(model).contents(of: "log/a")
      guard found.count == Self.page else { continue }
      let kept = found.firstIndex(of: 0) ?? Self.page
      #expect(found[..<kept] == written[..<kept])
      #expect(found[kept...].allSatisfy { byte in byte == 0 })
      counts.insert(kept)
    }
    #expect(counts == Set((0...8).map { sectors in sectors * 512 }))
  }

  @Test func theSameSeedLeavesTheSameBytes() throws {
    let (files, file) = try prepare()
    try file.append(bytes(10 * Self.page))
    for seed in Self.seeds.prefix(20) {
      let model = CrashModel(seed: seed, lostData: .staleBlocks)
      #expect(try files.crash(model).contents(of: "log/a") == files.crash(model).contents(of: "log/a"))
    }
  }

  @Test func anUnsyncedEntryIsLost() throws {
    let files = MemoryFileSystem()
    try files.createDirectory("log")
    try files.syncDirectory("/")
    let file = try files.open("log/a", for: .create)
    try file.append([1, 2, 3])
    try file.sync(.full)
    let names = try Set(Self.seeds.map { seed in try files.crash(CrashModel(seed: seed)).names(in: "log") })
    #expect(names == [[], ["a"]])
    try files.syncDirectory("log")
    for seed in Self.seeds {
      #expect(try files.crash(CrashModel(seed: seed)).contents(of: "log/a") == [1, 2, 3], "seed \(seed)")
    }
  }

  @Test func aLostDirectoryTakesItsFilesWithIt() throws {
    let files = MemoryFileSystem()
    try files.createDirectory("log")
    try files.open("log/a", for: .create).close()
    try files.syncDirectory("log")
    #expect(try files.crash(.onlySyncedSurvives).names(in: "/") == [])
    try files.syncDirectory("/")
    #expect(files.crash(.onlySyncedSurvives).filePaths == ["/log/a"])
  }

  @Test func aRenameIsAtomic() throws {
    let files = MemoryFileSystem()
    try files.setContents([1], of: "log/a")
    try files.setContents([2], of: "log/a.new")
    try files.rename("log/a.new", to: "log/a")
    let found = try Set(
      Self.seeds.map { seed in
        let after = files.crash(CrashModel(seed: seed))
        return try after.filePaths.map { path in "\(path) \(try after.contents(of: path))" }
      })
    #expect(found == [["/log/a [2]"], ["/log/a [1]", "/log/a.new [2]"]])
    try files.syncDirectory("log")
    #expect(files.crash(.onlySyncedSurvives).filePaths == ["/log/a"])
  }

  @Test func aRemovedFileCanComeBack() throws {
    let files = MemoryFileSystem()
    try files.setContents([1], of: "log/a")
    try files.remove("log/a")
    let found = Set(Self.seeds.map { seed in files.crash(CrashModel(seed: seed)).filePaths })
    #expect(found == [[], ["/log/a"]])
    try files.syncDirectory("log")
    #expect(Self.seeds.allSatisfy { seed in files.crash(CrashModel(seed: seed)).filePaths == [] })
  }

  @Test func directoriesOfARenameBecomeDurableTogether() throws {
    let files = MemoryFileSystem()
    try files.createDirectory("from")
    try files.createDirectory("to")
    try files.syncDirectory("/")
    try files.open("from/a", for: .create).close()
    try files.rename("from/a", to: "to/b")
    try files.syncDirectory("to")
    #expect(Self.seeds.allSatisfy { seed in files.crash(CrashModel(seed: seed)).filePaths == ["/to/b"] })
  }

  @Test func bytesOfAFailedSyncAreLostLater() throws {
    let (files, file) = try prepare()
    try file.append(bytes(100))
    try file.sync(.data)
    try file.append(bytes(100, from: 100))
    try #require(file as? MemoryFile).abandonUnsynced()
    try file.sync(.data)
    #expect(try file.bytes(at: 0, count: 300) == bytes(200))
    #expect(try files.durableContents(of: "log/a") == bytes(100))
    file.discardCache()
    #expect(try file.bytes(at: 0, count: 300) == bytes(100) + [UInt8](repeating: 0, count: 100))
  }

  @Test func laterPagesKeepTheLengthOfALostOne() throws {
    let (files, file) = try prepare()
    try file.append(bytes(100))
    try file.sync(.data)
    try file.append(bytes(5_000, from: 100))
    try #require(file as? MemoryFile).abandonUnsynced()
    try file.append(bytes(5_000))
    try file.sync(.data)
    let durable = try files.durableContents(of: "log/a")
    #expect(durable.count == 10_100)
    #expect(Array(durable.prefix(4_096)) == bytes(100) + [UInt8](repeating: 0, count: 3_996))
    #expect(Array(durable.suffix(5_000)) == bytes(5_000))
  }

  @Test func aRewrittenPageIsNotAbandoned() throws {
    let (files, file) = try prepare()
    try file.append(bytes(100))
    try #require(file as? MemoryFile).abandonUnsynced()
    try file.append(bytes(100, from: 100))
    try file.sync(.data)
    #expect(try files.durableContents(of: "log/a") == bytes(200))
  }

  @Test func aKilledProcessLosesNothing() throws {
    let (files, file) = try prepare()
    let lock = try files.lock(directory: "log")
    try file.append(bytes(100))
    let after = files.copy()
    #expect(try after.contents(of: "log/a") == bytes(100))
    #expect(try after.durableContents(of: "log/a") == [])
    try after.lock(directory: "log").unlock()
    try file.append([9])
    #expect(try after.contents(of: "log/a") == bytes(100))
    lock.unlock()
  }
}
