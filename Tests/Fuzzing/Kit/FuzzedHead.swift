import ActionLog
import ActionLogTesting

/// The file `HEAD`.
struct FuzzedHead {
  let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  /// Checks that an accepted `HEAD` survives a round trip, and that a log with such a file is opened or refused.
  func check() throws(FuzzFlaw) {
    let head = LogHead(parsing: input)
    if let head {
      try FuzzFlaw.unless(LogHead(parsing: head.encoded()) == head, "written as another head")
    }
    // All invalid files are equivalent for a log, and checking them takes a thousand times as long: a sample is enough.
    guard head != nil || input.reduce(0, &+).isMultiple(of: 64) else { return }
    let log = FuzzedLog(FuzzedLog.header)
    try FuzzFlaw.never("a disk in memory") { try log.files.setContents(input, of: FuzzedLog.path + "/HEAD") }
    try log.check()
  }
}
