package import Foundation

/// An action with every shape of generated code, and some shapes that use `Codable`.
package enum ZooAction: Codable, Hashable, Sendable {
  case plain
  case nested(Nested)
  case labels(zebra: Int, apple: String?, mango: [Double])
  case unlabelled(Int, String)
  case single(Int)
  case optionalSingle(String?)
  case optionalEnum(Nested?)
  case structure(Enclosure)
  case raw(Species)
  case wild(_ species: Species, name: String)
  case tree(Tree)
  case scalars(Scalars)
  case collections(Collections)
  case odd(Odd)
  case oddLabel(value: Odd, count: Int)
  case box(Box<Int>)
  case money(amount: Money)
  case keys(Keys)
  case ticket(Ticket)
  case tickets(items: [Ticket], by: [String: [Species?]])
  case rule(Rule)
  case ruleChange(from: Rule?, to: Rule)
  case maybeRule(Rule?)
  case paid(Price)
  case invoice(Invoice)

  /// Cases within a case.
  package enum Nested: Codable, Hashable, Sendable {
    case opened
    case closed(at: Date, reason: String?)
    case deeper(Deeper)
  }
}

extension ZooAction {
  /// One level more.
  package enum Deeper: Codable, Hashable, Sendable {
    case end(value: Bool)
    case last(_0: Int)
    case void(_: Int)
  }
}
