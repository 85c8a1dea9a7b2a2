import ActionLogTool
import Testing

@Suite("Streams")
struct StreamTests {
  @Test("a closed pipe is not an error")
  func closedPipe() async {
    let run = await ActionLogTool.bare.run("help") { environment in
      environment.standardOutput = MemoryOutput(limit: 0)
    }
    #expect(run.status == 0)
    #expect(run.messages.isEmpty)
  }

  @Test("output that cannot be written is an error of the environment")
  func fullDisk() async {
    struct FullOutput: ToolOutput {
      func write(_ bytes: [UInt8]) throws(ToolStreamError) { throw .failed(errorNumber: 28) }
    }
    let run = await ActionLogTool.bare.run("help") { environment in environment.standardOutput = FullOutput() }
    #expect(run.status == 3)
    #expect(run.messages.hasPrefix("error: standard input or output failed: "))
  }

  @Test("colors are for terminals that allow them")
  func colour() async {
    let escape = "\u{1B}["
    #expect(await ActionLogTool.bare.run("help", isTerminal: true).output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help").output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help", "--no-color", isTerminal: true).output.contains(escape))
    let variables = [["NO_COLOR": "1"], ["TERM": "dumb"]]
    for variables in variables {
      let run = await ActionLogTool.bare.run("help", isTerminal: true, variables: variables)
      #expect(!run.output.contains(escape))
    }
    #expect(await ActionLogTool.bare.run("help", isTerminal: true, variables: ["NO_COLOR": ""]).output.contains(escape))
  }

  @Test("a stop request is made once, and reaches current and later waiters")
  func stopRequest() {
    let stop = StopRequest()
    #expect(!stop.isRequested)
    #expect(stop.request())
    #expect(!stop.request())
    #expect(stop.isRequested)
    // It would wait for ever if the request were not heard.
    #expect(stop.wait(for: .seconds(1_000_000)))
  }
}
