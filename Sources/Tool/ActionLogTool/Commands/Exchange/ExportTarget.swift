import ActionLog
import JSONCoding
import TextDisplay

/// Where an export goes: standard output, or a new file.
final class ExportTarget {
  private let context: CommandContext
  private let file: NewFile?
  /// How many actions were written.
  private(set) var actionCount = 0
  /// How many bytes were written.
  private(set) var sizeBytes = 0

  /// - Parameters:
  ///   - context: The command.
  ///   - file: The file; `nil` is standard output.
  init(_ context: CommandContext, file: NewFile?) {
    self.context = context
    self.file = file
  }

  /// Writes what a buffer holds, and empties it.
  ///
  /// - Parameter record: The record that it is the form of, if it is one's.
  func write(_ bytes: inout [UInt8], for record: LogRecord? = nil) throws {
    if let record, !record.isControl { actionCount += 1 }
    sizeBytes += bytes.count
    if let file { try file.append(bytes) } else { try context.printExported(bytes) }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Tells what is in the file, which has its name by now.
  func tell() throws {
    guard let file else { return }
    if context.isJSON {
      try context.output.json([
        "path": .string(file.path), "actions": .integer(actionCount), "bytes": .integer(file.sizeBytes),
      ])
    } else {
      let what = "\(HumanText.count(actionCount, "action")), \(HumanText.bytes(file.sizeBytes))"
      try context.output.line("\(TerminalText.escaping(file.path)): \(what)")
    }
  }
}
