/// What a process said that was to write and say numbers until it is ended.
struct WriterAccount {
  /// What it found in the log when it began; `nil` before it said so.
  private(set) var first: Int?
  /// The last number that it said; 0 before the first.
  private(set) var last = 0
  /// What is wrong with what it said.
  private(set) var flaw: String?

  /// Reads what a process said.
  ///
  /// - Parameter found: What the process must find; `nil` when that is not known.
  init(_ lines: [String], mustFind found: Int? = nil) {
    for line in lines {
      guard let number = Int(line) else {
        // An error has two lines, and the second is only its code.
        flaw = flaw ?? "the writer said '\(line)'"
        continue
      }
      if first != nil, number <= last { flaw = flaw ?? "the writer said \(number) after \(last)" }
      first = first ?? number
      last = number
    }
    if let found, let first, first != found { flaw = flaw ?? "the writer began at \(first), not at \(found)" }
  }

  /// Whether anything was acknowledged since the process began.
  var hasAcknowledged: Bool { last > first ?? 0 }
}
