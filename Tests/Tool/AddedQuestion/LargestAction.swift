import ActionLog
package import ActionLogTool
import JSONCoding

/// A question that is not one of the tool's: all that adding one takes, see CONTRIBUTING.
package enum LargestAction {
  package static let command = Command(
    "largest",
    group: .question,
    summary: "find the action with the most data",
    examples: [.init("largest my-log", "the largest action")],
    arguments: [.readLog],
    tool: ToolDeclaration(title: "Largest action", help: "Finds the action with the most data."),
    shape: shape,
    ask: { context in
      var records = try context.openReader().records(from: 1)
      var largest: LogRecord?
      while let record = try records.next() {
        if !record.isControl, record.dataBytes.count > largest?.dataBytes.count ?? -1 { largest = record }
      }
      return (largest, status: { largest == nil ? .negative : .success })
    },
    print: { record, context in
      try context.output.line("revision \(record.revision): \(record.dataBytes.count) bytes")
    }
  )

  private static let shape = AnswerShape<LogRecord>.object(
    "One object: the action with the most data.", isBounded: true,
    [.member("bytes", .count, \.dataBytes.count), .member("action", .action, { record in record })])
}
