/// The steps through nested enum cases, found while a value was encoded.
///
/// Each step's object has one member, so only the lengths of the names are stored.
struct EncodingCases {
  /// The name of each step.
  struct Name: BitwiseCopyable {
    /// The length, with quotes.
    let length: Int
    let isEscaped: Bool
  }

  private(set) var names: [Name] = []
  /// The steps before each time that some were dropped.
  private var history: [[Name]] = []

  var count: Int { names.count }

  /// A state to return to.
  struct Mark {
    let count: Int
    let changes: Int
  }

  var mark: Mark {
    @inline(__always) get { Mark(count: names.count, changes: history.count) }
  }

  @inline(__always)
  mutating func reset() {
    names.removeAll(keepingCapacity: true)
    if !history.isEmpty { history = [] }
  }

  mutating func append(_ name: EncodingMember) {
    names.append(Name(length: name.nameLength, isEscaped: name.nameIsEscaped))
  }

  /// Drops all steps except the first ones.
  mutating func keep(_ count: Int) {
    guard names.count > count else { return }
    history.append(names)
    names.removeSubrange(count...)
  }

  mutating func rollBack(to mark: Mark) {
    // Until the first change after the mark, steps were only added.
    if history.count > mark.changes {
      names = history[mark.changes]
      history.removeSubrange(mark.changes...)
    }
    names.removeSubrange(mark.count...)
  }
}
