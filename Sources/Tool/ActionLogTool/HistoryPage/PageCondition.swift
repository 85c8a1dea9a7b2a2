import JSONCoding

/// A condition, and the revisions of a page at which it holds: found by the engine when the page is made, so that it means there
/// what it means everywhere.
struct PageCondition: Sendable {
  /// The condition as it was written.
  var text: String
  /// The revisions, in order.
  var revisions: [Int]

  /// The text, and the first and last revision of each stretch in which the condition holds.
  var json: JSONValue {
    var ends: [Int] = []
    for revision in revisions {
      if ends.last == revision - 1 { ends[ends.count - 1] = revision } else { ends += [revision, revision] }
    }
    return ["text": .string(text), "ends": .array(ends.map(JSONValue.integer))]
  }
}
