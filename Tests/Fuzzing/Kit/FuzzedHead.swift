import ActionLog

/// The file `HEAD`.
struct FuzzedHead {
  let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  /// What is accepted is written as something that says the same, and a log with such a file is opened or refused.
  func check() throws(FuzzFlaw) {
    let head = LogHead(parsing: input)
    if let head {
      try FuzzFlaw.unless(LogHead(parsing: head.encoded()) == head, "written as another head")
    }
    // To a log, what is no head is one like another, and it takes a thousand times as long to ask it: some are enough.
    guard head != nil || input.reduce(0, &+).isMultiple(of: 64) else { return }
    let log = FuzzedLog(FuzzedLog.header)
    try FuzzFlaw.never("a disk in memory") { try log.files.setContents(input, of: FuzzedLog.path + "/HEAD") }
    try log.check()
  }
}
