public import JSONCoding

/// A condition over a state and the action that led to it, as people write it: `/counter/value > 10 and type like "ui.*"`.
///
/// | written | means |
/// |---|---|
/// | `/animals/data/Dog/name` | the value at a place of the state, a JSON Pointer; `'/a place'` in single quotes; `''` is the whole state |
/// | `type`, `seq`, `time` | of the action that led to the state |
/// | `data/animalId`, `meta/actor` | a value of the action, or of the remarks on it |
/// | `count(/animals/data)` | how many elements, members or characters a value has |
/// | `"Dog"`, `12.5`, `true`, `false`, `null` | a value as JSON writes it |
/// | `==` `!=` `<` `<=` `>` `>=` | compared by value: `1` equals `1.0`, strings go by their code points, times by the clock; see below for decimals |
/// | `a contains b` | a string has a part, an array an element, an object a member of that name |
/// | `a like "ui.*"` | a string matches a pattern: `*` is any text, `?` one character |
/// | `a exists` | there is a value, even `null` |
/// | `a changed` | the value is another one than before the action, appearing and vanishing included |
/// | `not`, `and`, `or`, `( )` | in this order of strength; a value by itself holds when it is `true` |
///
/// A value that does not exist differs from every value and is neither less nor greater; so do values of two kinds.
///
/// A `Decimal` is a string in JSON. A string that holds a number compares with a number as a number: `/turnover/eur > 1000000`. Two such
/// strings are in the order of their numbers, so `> "1000000"` means the same; they are equal only if their texts are.
///
/// A value in a dictionary whose keys are not strings has a place by its key: `/orders/4C1D…/status`; see ``StateTree``.
public struct Condition: Hashable, Sendable {
  /// The condition as it was written.
  public let text: String

  let root: ConditionNode

  /// Reads a condition.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidCondition`` with the character at which the text stops making sense, and what was
  ///   expected there.
  /// - Complexity: O(length).
  public init(parsing text: String) throws(TimeTravelError) {
    var parser = try ConditionParser(text)
    self.root = try parser.parse()
    self.text = text
  }

  /// The places of the state that are looked at, each once.
  public var pointers: [JSONPointer] { uses.pointers }

  /// Whether the action that led to a state is looked at, so that no state answers by itself.
  public var asksForAction: Bool { uses.asksForAction }

  /// Whether the state before is looked at, so that no state answers by itself.
  public var asksForChange: Bool { uses.asksForChange }

  /// What is looked at.
  var uses: ConditionUses { ConditionUses(root) }
}

extension Condition: CustomStringConvertible {
  /// The condition as it was written.
  public var description: String { text }
}
