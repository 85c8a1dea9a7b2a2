import Foundation
import TestSupport

/// A run of another program, such as `jq`, from start to end without input.
struct ProgramRun {
  /// The exit status; the raw one when a signal ended it.
  let status: Int32
  let output: String
  let messages: String

  /// Runs a program that is looked up in `PATH`. Blocks: only for programs that end soon.
  init(_ words: [String]) throws {
    let (output, messages) = (try ScratchFile(), try ScratchFile())
    let process = try Spawn.start(
      words, streams: Spawn.Streams(input: nil, output: output.descriptor, messages: messages.descriptor))
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    self.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : status
    self.output = try output.text()
    self.messages = try messages.text().withoutProgress
  }
}
