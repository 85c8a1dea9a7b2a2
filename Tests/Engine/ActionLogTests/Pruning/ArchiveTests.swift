import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The directories that segments are archived to and put back from.
@Suite("Archives of pruned logs", .timeLimit(.minutes(60)))
struct ArchiveTests {
  private func story(_ count: Int = 12) throws -> LogStory {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(count)
    return story
  }

  // MARK: The log itself

  @Test(arguments: ["/log", "/log/", "log", "./log", "/log/../log", "/log/in", "log/in/side"])
  func theLogIsNoArchive(spelling: String) throws {
    let story = try story()
    let names = story.files.filePaths
    #expect(
      #expect(throws: LogError.self) { try story.prune(before: 7, archive: spelling) }?.code == .invalidArgument)
    let pruning = try LogPruning(at: LogStory.path, before: 7, fileSystem: story.files)
    #expect(#expect(throws: LogError.self) { try pruning.check(archive: spelling) }?.code == .invalidArgument)
    #expect(story.files.filePaths == names)
    #expect(try story.read().actions == Array(1...12))
  }

  /// A file system in which a directory has a second path, as after `mount --bind`.
  private struct MountedFileSystem: LogFileSystem {
    let base: any LogFileSystem
    let mount: String
    let directory: String

    private func source(_ path: String) -> String {
      path == mount || path.hasPrefix(mount + "/") ? directory + path.dropFirst(mount.count) : path
    }

    func status(of path: String) throws(FileSystemError) -> FileStatus? { try base.status(of: source(path)) }
    func names(in path: String) throws(FileSystemError) -> [String] { try base.names(in: source(path)) }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(source(path)) }
    func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
      try base.open(source(path), for: access)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
      try base.rename(source(path), to: source(newPath))
    }
    func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
      try base.renameWithoutReplacing(source(path), to: source(newPath))
    }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(source(path)) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(source(path)) }
    func lock(directory path: String) throws(FileSystemError) -> any DirectoryLock {
      try base.lock(directory: source(path))
    }
  }

  @Test(arguments: ["/mnt", "/mnt/", "/mnt/in"]) func aBindMountOfTheLogIsNoArchive(path: String) throws {
    var story = try story()
    let names = story.files.filePaths
    story.door = MountedFileSystem(base: story.files, mount: "/mnt", directory: LogStory.path)
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7, archive: path) }?.code == .invalidArgument)
    #expect(story.files.filePaths == names)
  }

  /// A bind mount of a single file: the directory is another one, and its file is the segment.
  @Test func theSegmentItselfIsNoCopy() throws {
    var story = try story()
    let first = "/0000000000000001.jsonl"
    try story.files.setContents([], of: LogStory.archive + "/other")
    story.door = MountedFileSystem(
      base: story.files, mount: LogStory.archive + first, directory: LogStory.path + first)
    #expect(#expect(throws: LogError.self) { try story.prune(before: 7) }?.code == .invalidArgument)
    let pruning = try LogPruning(at: LogStory.path, before: 7, fileSystem: story.door)
    #expect(#expect(throws: LogError.self) { try pruning.check(archive: LogStory.archive) }?.code == .invalidArgument)
    #expect(try story.read().actions == Array(1...12))
    #expect(try story.reader().base == nil)
  }

  /// A log on the disk of the machine, in short segments.
  private struct DiskStory {
    let directory: TemporaryDirectory
    var files: any LogFileSystem = POSIXFileSystem()
    var path: String { directory.path("log") }

    init(redactable: Bool = false) throws {
      directory = try TemporaryDirectory()
      try record(1...8, redactable: redactable)
    }

    func record(_ numbers: ClosedRange<Int>, redactable: Bool = false) throws {
      var configuration = LogConfiguration(durability: .written, segmentLimitBytes: 600, environment: .test())
      configuration.redactable = redactable
      let writer = try LogWriter.open(
        at: path, model: "counter", schema: 1, fileSystem: files, configuration: configuration)
      for number in numbers { try writer.appendNow([.numbered(number)]) }
      try writer.closeNow()
    }

    @discardableResult func prune(archive: String) throws -> PruneRecord {
      let pruning = try LogPruning(at: path, before: 5, fileSystem: files)
      return try pruning.run(reason: "test", actor: nil, archive: archive, environment: .test()) { _ in
        let state = Array(#"{"name":"Ann Smith"}"#.utf8)
        return LogPruning.State(
          bytes: state, digest: SHA256.hexadecimal(state), model: "counter", schema: 1, reducer: "test")
      }
    }

    /// The segments and the base.
    func names() throws -> [String] {
      try files.names(in: path).filter { name in name.hasSuffix(".jsonl") || name == "base.json" }
    }

    /// The mode and the group of a file.
    func permissions(_ name: String) -> [UInt32] {
      var entry = stat()
      #expect(lstat(path + "/" + name, &entry) == 0)
      return [UInt32(entry.st_mode) & 0o777, UInt32(entry.st_gid)]
    }
  }

  @Test func linksToTheLogAreNoArchive() throws {
    let disk = try DiskStory()
    let names = try disk.names()
    try FileManager.default.createSymbolicLink(
      atPath: disk.directory.path("link"), withDestinationPath: disk.path)
    // Hard links of the segments.
    try FileManager.default.createDirectory(
      atPath: disk.directory.path("hard"), withIntermediateDirectories: false)
    for name in names {
      try FileManager.default.linkItem(atPath: disk.path + "/" + name, toPath: disk.directory.path("hard/" + name))
    }
    for archive in [disk.path, disk.path + "/", disk.directory.path("link"), disk.directory.path("hard")] {
      let error = #expect(throws: LogError.self) { try disk.prune(archive: archive) }
      #expect(error?.code == .invalidArgument, "\(archive): \(String(describing: error))")
      #expect(try disk.names() == names)
    }
    try disk.prune(archive: disk.directory.path("old"))
    #expect(try LogReader.open(at: disk.path, fileSystem: disk.files).base != nil)
  }

  // MARK: Checks of a dry run

  @Test func anArchiveIsCheckedWithoutChanges() throws {
    let story = try story()
    try story.files.setContents([1], of: "/file")
    try story.files.setContents([1], of: "/other/0000000000000001.jsonl")
    let segment = try #require(try story.reader().segments.first)
    try story.files.setContents(
      try story.files.contents(of: segment.path), of: "/same/0000000000000001.jsonl")
    let names = story.files.filePaths
    let pruning = try LogPruning(at: LogStory.path, before: 7, fileSystem: story.files)
    func code(_ archive: String) -> LogError.Code? {
      #expect(throws: LogError.self) { try pruning.check(archive: archive) }?.code
    }
    #expect(code("/missing/in") == .notFound)
    #expect(code("/file") == .invalidArgument)
    #expect(code("/other") == .exists)
    try pruning.check(archive: "/same")
    try pruning.check(archive: "/new/")
    #expect(story.files.filePaths == names)
    // The command refuses the same.
    for (archive, code) in [("/missing/in", LogError.Code.notFound), ("/file", .invalidArgument), ("/other", .exists)] {
      #expect(#expect(throws: LogError.self) { try story.prune(before: 7, archive: archive) }?.code == code)
    }
    try story.prune(before: 7, archive: "/same")
  }

  // MARK: Interrupted restores

  /// The images of a disk at each call of a restore: what must have survived a power cut, and what a killed process leaves.
  private func images(of story: LogStory) throws -> [(call: String, files: MemoryFileSystem)] {
    var story = story
    let files = story.files
    let images = Locked<[(call: String, files: MemoryFileSystem)]>([])
    story.door = FaultyFileSystem(files) { call in
      let copies = [files.crash(.onlySyncedSurvives), files.copy()]
      images.withLock { images in for copy in copies { images.append((call: call.description, files: copy)) } }
    }
    try story.restore()
    return images.withLock { images in images }
  }

  enum Base: CaseIterable, Sendable { case intact, missing, damaged }

  @Test(arguments: Base.allCases) func anInterruptedRestoreIsCompleted(base: Base) throws {
    let story = try story()
    try story.prune(before: 7)
    switch base {
    case .intact: break
    case .missing: try story.files.remove("/log/base.json")
    case .damaged: try story.files.flipBit(0, ofByte: 20, in: "/log/base.json")
    }
    let images = try images(of: story)
    #expect(images.count > 100)
    var recordCount = 0
    for (number, image) in images.enumerated() where base == .intact || number % 3 == 0 {
      let (call, files) = image
      let comment: Comment = "\(base), before \(call)"
      let again = LogStory(files)
      let isRecorded = try again.isRestoringRecorded()
      if !isRecorded {
        _ = try LogPruning.checkRestoring(at: LogStory.path, from: LogStory.archive, fileSystem: files)
        try again.restore()
      }
      recordCount += isRecorded ? 1 : 0
      #expect(try again.read().actions == Array(1...12), comment)
      try again.open().closeNow()
      let report = try LogVerifier.verify(at: LogStory.path, fileSystem: files)
      #expect(report.verdict == .clean, "\(comment): \(report.problems)")
      let warnings = report.warnings.filter { warning in [.unfinishedPruning, .outdatedSegment].contains(warning.kind) }
      #expect(warnings.isEmpty, "\(comment): \(warnings)")
      #expect(#expect(throws: LogError.self) { try again.restore() }?.code == .invalidArgument, comment)
    }
    #expect(recordCount > 0)
  }

  /// A restore that only copied has not happened: the next writer removes the copies.
  @Test func copiesOfAnInterruptedRestoreAreRemoved() throws {
    let story = try story()
    try story.prune(before: 7)
    let before = Set(story.files.filePaths)
    var leftCount = 0
    for (call, files) in try images(of: story) {
      guard try files.status(of: "/log/base.json") != nil else { continue }
      let left = Set(files.filePaths).subtracting(before).filter { path in path.hasSuffix(".jsonl") }
      let after = LogStory(files)
      try after.open().closeNow()
      #expect(files.filePaths.allSatisfy { path in !path.hasSuffix(".new") }, "\(call)")
      // Only while they get their names can some of them stay.
      if left.isEmpty { #expect(try after.outdatedNames().isEmpty, "\(call)") } else { leftCount += 1 }
    }
    #expect(leftCount > 0)
  }

  /// Whatever an interrupted restore leaves, a redaction of the base erases the value in the whole directory or refuses.
  @Test func redactionReachesCopiesOfAnInterruptedRestore() throws {
    var story = LogStory(segmentLimitBytes: 700)
    story.configuration.redactable = true
    let writer = try story.open()
    for number in 1...8 {
      try writer.appendNow([LogDraft(type: "add", data: Array(#"{"name":"Secret \#(number)"}"#.utf8))])
    }
    try writer.closeNow()
    let pruning = try LogPruning(at: LogStory.path, before: 5, fileSystem: story.files)
    _ = try pruning.run(
      reason: "test", actor: nil, archive: LogStory.archive, environment: story.configuration.environment
    ) { _ in
      let state = Array(#"{"name":"Secret 1"}"#.utf8)
      return LogPruning.State(
        bytes: state, digest: SHA256.hexadecimal(state), model: "counter", schema: 1, reducer: "test")
    }
    try story.record(3, from: 9)
    var outcomes = (erased: 0, refused: 0)
    for (number, image) in try images(of: story).enumerated() where number % 3 != 1 {
      let (call, files) = image
      guard try files.status(of: "/log/base.json") != nil else { continue }
      func redact() throws {
        _ = try LogRedaction.redact(
          at: LogStory.path, reason: "r", fileSystem: files, environment: .test()
        ) { _ in
          [RedactionTarget(index: nil, replacements: [ValueReplacement(JSONPointer(["state", "name"]))])]
        }
      }
      do {
        try redact()
        outcomes.erased += 1
      } catch let error as LogError where error.code == .rejected {
        outcomes.refused += 1
        // Nothing is hidden from a search, and the advice helps.
        let outdated = try LogReader.open(at: LogStory.path, fileSystem: files).sideFiles(containing: ["Secret"])
        #expect(outdated.contains { name in name.hasSuffix(".jsonl") }, "\(call): \(outdated)")
        for name in try LogStory(files).outdatedNames() { try files.remove("/log/" + name) }
        try redact()
      }
      let paths = try files.filePaths.filter { path in
        try path.hasPrefix("/log/") && files.contents(of: path).contains(text: "Secret 1")
      }
      #expect(paths.isEmpty, "\(call)")
    }
    #expect(outcomes.erased > 10 && outcomes.refused > 0, "\(outcomes)")
  }

  // MARK: The right segments

  /// An older archive has the same checksum chain and the same tree, and a value that was redacted since.
  @Test func anArchiveFromBeforeARedactionIsRefused() throws {
    var story = LogStory(segmentLimitBytes: 700)
    story.configuration.redactable = true
    try story.record(12)
    try story.prune(before: 9, archive: "/one")
    try story.restore(from: "/one")
    try story.record(1, from: 13)
    let index = try #require(try story.reader().lineIndices(ofActions: [1])[1])
    _ = try LogRedaction.redact(
      at: LogStory.path, reason: "r", fileSystem: story.files, environment: .test()
    ) { _ in [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))])] }
    try story.record(1, from: 14)
    let second = try story.reader().segments[1].first
    try story.prune(before: second, archive: "/two")
    try story.prune(before: 9, archive: "/three")
    func copy(_ directory: String, to target: String) throws {
      for name in try story.files.names(in: directory) where name.hasSuffix(".jsonl") {
        try story.files.setContents(try story.files.contents(of: directory + "/" + name), of: target + "/" + name)
      }
    }
    try copy("/three", to: "/wrong")
    try copy("/three", to: "/right")
    let first = "/0000000000000001.jsonl"
    try story.files.setContents(try story.files.contents(of: "/one" + first), of: "/wrong" + first)
    try copy("/two", to: "/right")
    let names = story.files.filePaths
    let error = #expect(throws: LogError.self) { try story.restore(from: "/wrong") }
    #expect(error?.code == .damaged && error?.path == "/wrong" + first, "\(String(describing: error))")
    #expect(story.files.filePaths == names)
    try story.restore(from: "/right")
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.firstRevision == 0 && report.lastRevision == 14)
  }

  @Test func aDamagedFileOfTheArchiveIsNamed() throws {
    let story = try story()
    try story.prune(before: 7)
    let path = LogStory.archive + "/0000000000000001.jsonl"
    for text in ["x\n", ""] {
      try story.files.setContents(Array(text.utf8), of: path)
      let error = #expect(throws: LogError.self) { try story.restore() }
      #expect(error?.code == .damaged && error?.path == path, "\(String(describing: error))")
      #expect(error?.intact == "The log was not changed.")
      #expect(error?.advice?.description.contains("verify") == false)
    }
  }

  // MARK: Permissions

  /// The users who may read a log may read what a redaction, a pruning and a restore replace in it, also if a shipped log looks like
  /// any other, as it does to the commands.
  @Test(arguments: [false, true]) func replacedFilesKeepTheirPermissions(showsLakes: Bool) throws {
    var disk = try DiskStory(redactable: true)
    if showsLakes { disk.files = LakeFileSystem(disk.files) }
    // Only root may choose any group.
    let group = getuid() == 0 ? 12_345 : getgid()
    func open() throws {
      for name in try disk.names() {
        #expect(chown(disk.path + "/" + name, uid_t.max, group) == 0)
        #expect(chmod(disk.path + "/" + name, 0o640) == 0)
      }
    }
    func expectOpen(_ names: [String], _ comment: Comment) {
      for name in names { #expect(disk.permissions(name) == [0o640, group], "\(comment): \(name)") }
    }
    try open()
    let sealed = try disk.names()
    try disk.prune(archive: disk.directory.path("old"))
    expectOpen(["base.json"], "pruned")
    try disk.record(9...12)
    try open()
    _ = try LogRedaction.redact(at: disk.path, reason: "r", fileSystem: disk.files, environment: .test()) { reader in
      let index = try #require(try reader.lineIndices(ofActions: [6])[6])
      return [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data"]))])]
    }
    expectOpen(try disk.names().filter(sealed.contains) + ["base.json"], "redacted")
    _ = try LogPruning.restore(
      at: disk.path, from: disk.directory.path("old"), reason: "test", actor: nil, environment: .test(),
      fileSystem: disk.files)
    expectOpen(sealed, "restored")
  }
}

extension LogStory {
  /// Whether the newest `@prune` record states that segments were put back.
  fileprivate func isRestoringRecorded() throws -> Bool {
    do throws(LogError) {
      return try LogReader.open(at: LogStory.path, fileSystem: files).lastPruning()?.record.base == nil
    } catch {
      guard error.code == .damaged else { throw error }
      return false
    }
  }

  /// The names of segments before the base.
  fileprivate func outdatedNames() throws -> [String] {
    let first = try LogReader.open(at: LogStory.path, fileSystem: files).base?.first ?? 1
    return try files.names(in: LogStory.path).filter { name in
      SegmentName.first(of: name).map { number in number < first } ?? false
    }
  }
}
