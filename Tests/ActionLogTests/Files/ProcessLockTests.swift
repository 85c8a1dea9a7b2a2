import ActionLog
import Foundation
import TestSupport
import Testing

/// Where Linux distributions have it; macOS has none.
private let flockProgram = "/usr/bin/flock"

/// Locks between processes. The other process is `flock` of util-linux, which makes the same system call.
@Suite(
  "Locks between processes", .timeLimit(.minutes(1)),
  .enabled(if: FileManager.default.isExecutableFile(atPath: flockProgram), "there is no flock program")
)
struct ProcessLockTests {
  private let files = POSIXFileSystem()
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Starts a process that takes the lock and keeps it until its input ends.
  private func startHolder() throws -> (process: Process, input: Pipe) {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: flockProgram)
    // --close: the shell does not inherit the lock, which so dies with the process that we know.
    process.arguments = ["--nonblock", "--close", directory.path, "-c", "echo locked; read line"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let answer = try #require(try output.fileHandleForReading.read(upToCount: 7))
    #expect(String(decoding: answer, as: UTF8.self) == "locked\n")
    return (process, input)
  }

  @Test func aLockOfAnotherProcessIsRefusedNamingIt() throws {
    let (process, input) = try startHolder()
    do throws(FileSystemError) {
      _ = try files.lock(directory: directory.path)
      Issue.record("the lock was granted twice")
    } catch {
      #expect(error.code == .locked)
      #if os(Linux)
      #expect(error.holder == process.processIdentifier)
      #endif
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    try files.lock(directory: directory.path).unlock()
  }

  @Test func theLockOfAKilledProcessIsFree() throws {
    let (process, input) = try startHolder()
    kill(process.processIdentifier, SIGKILL)
    // Foundation takes a process for ended only when its children have ended too: here the shell.
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    try files.lock(directory: directory.path).unlock()
  }

  @Test func anotherProcessIsRefusedWhileWeHoldTheLock() throws {
    func tryToLock() throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: flockProgram)
      process.arguments = ["--nonblock", directory.path, "-c", "true"]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    let lock = try files.lock(directory: directory.path)
    #expect(try tryToLock() == 1)
    lock.unlock()
    #expect(try tryToLock() == 0)
  }
}
