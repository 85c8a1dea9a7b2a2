import ActionLog
import ActionLogTesting
import EventSourcing
import FoodTruckData
import Foundation
import ImmutableData
import Platform
import SampleSupport
import TestSupport
import Testing

/// The kitchen printer as a process that is killed at random moments, and in this process with a disk that fails.
@Suite("Kitchen printer", .timeLimit(.minutes(60)))
struct KitchenPrinterTests {
  private static func order(_ number: Int) -> FoodTruckAction {
    .data(
      .storeListener(
        .didPlaceOrder(
          order: Order.BackingData(
            id: "Order#\(number)", status: .placed, donutIDs: [1, 3], sales: [1: number, 3: 1], cityID: "harbour",
            creationDate: Date(timeIntervalSinceReferenceDate: 816_944_400 + Double(number))))))
  }

  /// Records orders, each followed by an action that is not printed.
  private static func record(_ numbers: ClosedRange<Int>, at log: String, in disk: any LogFileSystem) async throws {
    let recorder = try await Recorder<FoodTruckLog>.open(at: log, fileSystem: disk)
    try await MainActor.run {
      let store = try recorder.makeStore()
      for number in numbers {
        try store.dispatch(action: order(number))
        try store.dispatch(action: .ui(.orderDetailView(.onTapStatusButton(orderID: "Order#\(number)"))))
      }
    }
    try await recorder.close()
  }

  /// The orders on tickets, in order.
  private static func orders(_ tickets: String) throws -> [String] {
    let lines = tickets.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.last == "", "the last ticket is incomplete")
    return lines.dropLast().map { line in String(line.split(separator: "\t")[1]) }
  }

  @Test("kill -9 at random moments: each order is printed exactly once, in order")
  func killPrintsOnce() async throws {
    let seed: UInt64 = 0xD0_4075
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let file = directory.path("tickets.txt")
    try FileManager.default.createDirectory(atPath: directory.path("data"), withIntermediateDirectories: false)
    func printed() throws -> Int {
      guard let bytes = FileManager.default.contents(atPath: file) else { return 0 }
      return bytes.count { byte in byte == 0x0A }
    }
    let log = directory.path("data/log")
    try await Self.record(1...150, at: log, in: POSIXFileSystem())
    func start() throws -> RunningProgram {
      try RunningProgram("foodtruck", ["--data", directory.path("data"), "--kitchen", file])
    }
    for round in 0..<12 {
      let program = try start()
      let wanted = min(try printed() + Int.random(in: 1...15, using: &generator), 150)
      #expect(try await eventually { try printed() >= wanted }, "seed \(seed), round \(round)")
      program.process.kill(SIGKILL)
      #expect(try await program.rest().ending == .signal(SIGKILL), "seed \(seed), round \(round)")
    }
    // New orders are printed as they come.
    let program = try start()
    #expect(try await eventually { try printed() == 150 })
    try await Self.record(151...160, at: log, in: POSIXFileSystem())
    #expect(try await eventually { try printed() == 160 })
    program.process.kill(SIGTERM)
    let run = try await program.rest()
    #expect(run.ending == .status(0), "\(run.output)")
    let tickets = try String(contentsOfFile: file, encoding: .utf8)
    #expect(try Self.orders(tickets) == (1...160).map { number in "Order#\(number)" }, "seed \(seed)")
    let keys = tickets.split(separator: "\n").map { line in line.prefix { character in character != "\t" } }
    #expect(Set(keys).count == 160)
  }

  @Test("a power cut at every call leaves each order printed exactly once after the next run")
  func powerCutPrintsOnce() async throws {
    let original = MemoryFileSystem()
    try await Self.record(1...4, at: "log", in: original)
    let expected = (1...4).map { number in "Order#\(number)" }
    var number = 1
    while true {
      let disk = original.copy()
      let image = CrashImage()
      let files = FaultyFileSystem(disk) { [number] _ in
        image.note { count in count == number ? disk.crash(CrashModel(seed: UInt64(number))) : nil }
      }
      try await KitchenPrinter(log: "log", printingTo: "tickets", fileSystem: files).catchUp()
      #expect(try Self.orders(String(decoding: disk.contents(of: "tickets"), as: UTF8.self)) == expected)
      guard let left = image.disk else { break }
      try await KitchenPrinter(log: "log", printingTo: "tickets", fileSystem: left).catchUp()
      let tickets = String(decoding: try left.contents(of: "tickets"), as: UTF8.self)
      #expect(try Self.orders(tickets) == expected, "call \(number)")
      number += 1
    }
    #expect(number > 20)
  }

  @Test func otherFilesAreNotChanged() async throws {
    let disk = MemoryFileSystem()
    try await Self.record(1...1, at: "log", in: disk)
    let text = Array("shopping list\n".utf8)
    try disk.setContents(text, of: "list.txt")
    await #expect(throws: PrinterError.self) {
      try await KitchenPrinter(log: "log", printingTo: "list.txt", fileSystem: disk).catchUp()
    }
    #expect(try disk.contents(of: "list.txt") == text)
  }

  @Test(arguments: ["no/directory/tickets", "list.txt/tickets"])
  func missingDirectoryFailsAtOnce(path: String) async throws {
    let disk = MemoryFileSystem()
    try await Self.record(1...1, at: "log", in: disk)
    try disk.setContents([], of: "list.txt")
    var configuration = SubscriptionConfiguration()
    // Without the check, the first delivery fails.
    configuration.onFailure = .custom { _ in .stop }
    let printer = KitchenPrinter(log: "log", printingTo: path, configuration: configuration, fileSystem: disk)
    let error = await #expect(throws: PrinterError.self) { try await printer.catchUp() }
    #expect(error?.code == .unusableDirectory)
    #expect(error?.path == String(path.dropLast("/tickets".count)))
    #expect(error?.cause != nil && error?.advice != nil)
    #expect(!disk.filePaths.contains { path in path.contains("subscriptions") })
  }
}

/// The disk as a power cut left it.
private final class CrashImage: Sendable {
  private let contents = Locked<(count: Int, disk: MemoryFileSystem?)>((0, nil))

  var disk: MemoryFileSystem? { contents.withLock { contents in contents.disk } }

  /// Counts a call, and keeps the disk that the closure returns for its number.
  func note(_ makeDisk: (Int) -> MemoryFileSystem?) {
    let count = contents.withLock { contents in
      contents.count += 1
      return contents.count
    }
    if let disk = makeDisk(count) { contents.withLock { contents in contents.disk = disk } }
  }
}
