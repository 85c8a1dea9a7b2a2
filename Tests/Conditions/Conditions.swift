// Rewrites Swift files in place so that each of their conditions can be inverted while the program runs: `condition` becomes
// `inverted(7, condition)`, which is `!condition` when the environment variable INVERTED_CONDITION says 7. One build then
// serves for all of them. `.ci/conditions` compiles this against the parser of the toolchain and runs it on a copy of the
// sources.
//
// A condition is what stands between the `&&` and `||` of an `if`, `guard`, `while`, `where` or `?:`, and any other comparison.
// A pattern or an optional binding has no opposite and is left alone.
//
// Usage: conditions FILE…, which prints `number TAB file:line TAB condition` for each.
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the conditions of a file.
final class ConditionFinder: SyntaxVisitor {
  private(set) var found: [ExprSyntax] = []
  private static let comparisons: Set<String> = ["==", "!=", "<", ">", "<=", ">=", "===", "!==", "~="]

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    if case .expression(let condition) = node.condition { note(condition) }
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    note(node.condition)
    return .visitChildren
  }

  override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
    note(node.condition)
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    note(node.condition)
    return .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let symbol = node.operator.trimmedDescription
    if symbol == "&&" || symbol == "||" || Self.comparisons.contains(symbol) { note(ExprSyntax(node)) }
    return .visitChildren
  }

  /// Notes the parts between the logical operators, each once.
  private func note(_ condition: ExprSyntax) {
    if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      note(only.expression)
    } else if let attempt = condition.as(TryExprSyntax.self) {
      note(attempt.expression)
    } else if let negation = condition.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" {
      note(negation.expression)
    } else if let infix = condition.as(InfixOperatorExprSyntax.self),
      ["&&", "||"].contains(infix.operator.trimmedDescription)
    {
      note(infix.leftOperand)
      note(infix.rightOperand)
    } else if !found.contains(where: { known in known.position == condition.position && known.kind == condition.kind })
    {
      found.append(condition)
    }
  }
}

var number = 0
for path in CommandLine.arguments.dropFirst() {
  let source = try String(contentsOfFile: path, encoding: .utf8)
  let tree = try OperatorTable.standardOperators.foldAll(Parser.parse(source: source))
  let finder = ConditionFinder(viewMode: .sourceAccurate)
  finder.walk(tree)
  let places = SourceLocationConverter(fileName: path, tree: tree)
  // What is inserted where; at one place the ends come before the beginnings, and of those the outermost first.
  var insertions: [(offset: Int, order: Int, text: String)] = []
  for condition in finder.found {
    number += 1
    let start = condition.positionAfterSkippingLeadingTrivia
    let end = condition.endPositionBeforeTrailingTrivia
    insertions.append((start.utf8Offset, Int.max - end.utf8Offset, "inverted(\(number), "))
    insertions.append((end.utf8Offset, -start.utf8Offset, ")"))
    let text = condition.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    print("\(number)\t\(path):\(places.location(for: start).line)\t\(text)")
  }
  var output: [UInt8] = []
  var copied = 0
  let bytes = Array(source.utf8)
  for insertion in insertions.sorted(by: { one, other in (one.offset, one.order) < (other.offset, other.order) }) {
    output += bytes[copied..<insertion.offset]
    output += Array(insertion.text.utf8)
    copied = insertion.offset
  }
  output += bytes[copied...]
  try Data(output).write(to: URL(fileURLWithPath: path))
}
