/// The output of a process that writes numbers until it is killed.
struct WriterAccount {
  /// The last revision that the process found in the log; `nil` before it reported it.
  private(set) var first: Int?
  /// The last number in the output; 0 before the first.
  private(set) var last = 0
  /// The flaw in the output.
  private(set) var flaw: String?

  /// Reads the output of a process.
  ///
  /// - Parameter found: The revision that the process must find; `nil` if unknown.
  init(_ lines: [String], mustFind found: Int? = nil) {
    for line in lines {
      guard let number = Int(line) else {
        // The second line of an error is only its code.
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
