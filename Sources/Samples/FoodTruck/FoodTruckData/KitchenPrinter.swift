public import ActionLog
public import EventSourcing
import Platform
public import SampleSupport

/// The printer in the kitchen: a subscription that appends a ticket for each placed order to a file, exactly once.
///
/// A ticket is a line: the delivery's identifier, the order, its city, its donuts, and the position in the log. The file is the printer's
/// transaction: a ticket and the position after it are appended together, so that a crash leaves both or none. The next run removes an
/// incomplete last line and continues after the position in the last complete one. Its name in `LOG/subscriptions` is `kitchen`.
public struct KitchenPrinter: Sendable {
  /// The name of the subscription.
  public static let name = "kitchen"

  private let log: String
  private let path: String
  private let fileSystem: any LogFileSystem
  private let configuration: SubscriptionConfiguration

  /// Creates a printer. Nothing is opened before it runs.
  ///
  /// - Parameters:
  ///   - log: The log of a food truck.
  ///   - path: The file of tickets. It is created if it does not exist; its directory must exist.
  ///   - configuration: Retries, and how often the log is checked. Its types are replaced.
  ///   - fileSystem: The file system of both.
  public init(
    log: String, printingTo path: String, configuration: SubscriptionConfiguration = SubscriptionConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) {
    self.log = log
    self.path = path
    self.fileSystem = fileSystem
    self.configuration = configuration
  }

  /// Prints until the task is canceled.
  public func run() async throws { try await makeSubscription().run() }

  /// Prints the orders that are durable now.
  public func catchUp() async throws { try await makeSubscription().catchUp() }

  private func makeSubscription() async throws -> Subscription<FoodTruckLog> {
    let position = try await BlockingWork.run {
      try checkDirectory()
      return try TicketEnd(path, fileSystem).position
    }
    let tickets = TicketFile(path, fileSystem, after: position)
    var configuration = configuration
    configuration.types = ["didPlaceOrder"]
    // The tickets have the position; the stored one only shows how far the printer is.
    configuration.storing = .every(orAfter: .seconds(1))
    return try Subscription(
      named: Self.name, at: log, from: .resuming(after: position), configuration: configuration, fileSystem: fileSystem
    ) { delivery in
      guard case .data(.storeListener(.didPlaceOrder(let order))) = delivery.action else { return }
      try await tickets.append(Self.ticket(for: order, delivery))
    }
  }

  /// Checks the directory before the first order, whose delivery would be attempted again and again.
  private func checkDirectory() throws {
    let directory = TicketFile.directory(of: path)
    do { try fileSystem.syncDirectory(directory) } catch {
      throw PrinterError(
        .unusableDirectory, "the directory for the file of tickets cannot be used", path: directory, underlying: error,
        intact: "Nothing was printed.", advice: "Create the directory, or name a file in another one.")
    }
  }

  static func ticket(for order: Order.BackingData, _ delivery: Delivery<FoodTruckAction>) -> [UInt8] {
    let donuts = order.sales.sorted { one, other in one.key < other.key }
      .map { donut, count in "\(count) × donut \(donut)" }.joined(separator: ", ")
    let columns = [delivery.id, order.id, order.cityID, donuts, delivery.position.description]
    // An order's texts come from a log, and must not end a column or a line.
    let line = columns.map { column in String(column.map { character in character < " " ? " " : character }) }
    return Array((line.joined(separator: "\t") + "\n").utf8)
  }
}

/// A file of tickets that cannot be continued.
public typealias PrinterError = SampleError<PrinterErrorCode>

/// The failures of a ``KitchenPrinter``.
public enum PrinterErrorCode: String, Sendable {
  case notTickets
  /// Another printer has continued the file.
  case changed
  /// The directory of the file does not exist, or cannot be opened.
  case unusableDirectory
}

private struct TicketEnd {
  /// The position in the last complete ticket; `nil` if there is none.
  var position: SubscriptionPosition?
  var sizeBytes = 0

  private static let ticketLimitBytes = 1 << 16

  /// Reads the end of a file that need not exist.
  init(_ path: String, _ fileSystem: any LogFileSystem) throws {
    guard try fileSystem.status(of: path) != nil else { return }
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    let size = try file.size()
    let count = min(size, Self.ticketLimitBytes)
    var end = [UInt8](repeating: 0, count: count)
    let read = try end.withUnsafeMutableBytes { buffer in try file.read(at: size - count, into: buffer) }
    end = Array(end[..<read])
    guard let lineEnd = end.lastIndex(of: 0x0A) else {
      // The only ticket was interrupted.
      guard size == count else { throw Self.notTickets(path) }
      return
    }
    let line = end[..<lineEnd].split(separator: 0x0A).last ?? []
    let text = String(decoding: line.split(separator: 0x09).last ?? [], as: UTF8.self)
    guard let position = SubscriptionPosition(text) else { throw Self.notTickets(path) }
    self.position = position
    sizeBytes = size - count + lineEnd + 1
  }

  private static func notTickets(_ path: String) -> PrinterError {
    PrinterError(
      .notTickets, "the file does not end with a ticket", path: path, intact: "The file is not changed.",
      advice: "Name another file.")
  }
}

/// Appends tickets to a file. Each append is atomic.
private actor TicketFile {
  private let executor = BlockingExecutor()
  private let path: String
  private let fileSystem: any LogFileSystem
  private let position: SubscriptionPosition?
  /// The file; `nil` before the first ticket.
  private var file: (any LogFile)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String, _ fileSystem: any LogFileSystem, after position: SubscriptionPosition?) {
    self.path = path
    self.fileSystem = fileSystem
    self.position = position
  }

  deinit { file?.close() }

  /// The directory of a file, as it is named.
  static func directory(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  func append(_ ticket: [UInt8]) throws {
    let file = try openedFile()
    let size = try file.size()
    do {
      let outcome = ticket.withUnsafeBytes { buffer in Result { () throws(FileSystemError) in try file.append(buffer) }
      }
      try outcome.get()
      try file.sync(.data)
    } catch {
      // The next attempt appends it again.
      try file.truncate(toBytes: size)
      throw error
    }
  }

  /// Opens the file, now that this process is the only printer, and removes an interrupted ticket.
  private func openedFile() throws -> any LogFile {
    if let file { return file }
    let end = try TicketEnd(path, fileSystem)
    guard end.position == position else {
      throw PrinterError(
        .changed, "another printer has continued the file", path: path, intact: "The file is not changed.",
        advice: "Start the printer again.")
    }
    let isNew = try fileSystem.status(of: path) == nil
    let opened = try fileSystem.open(path, for: isNew ? .create : .append)
    try opened.truncate(toBytes: end.sizeBytes)
    try fileSystem.syncDirectory(Self.directory(of: path))
    file = opened
    return opened
  }
}
