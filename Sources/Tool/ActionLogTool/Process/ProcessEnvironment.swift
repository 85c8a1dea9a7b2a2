import ActionLog
import Foundation

extension ToolEnvironment {
  /// The environment of the process: its standard streams, variables, directories and clock.
  package static func process() -> ToolEnvironment {
    let stop = StopRequest()
    let start = ContinuousClock.now
    let descriptors = StandardDescriptors.take()
    let isTerminal = [descriptors.input, descriptors.output, descriptors.messages].map { descriptor in
      isatty(descriptor) == 1
    }
    return ToolEnvironment(
      standardInput: FileDescriptorInput(descriptor: descriptors.input, stop: stop),
      standardOutput: FileDescriptorOutput(descriptor: descriptors.output),
      standardError: FileDescriptorOutput(descriptor: descriptors.messages),
      inputIsTerminal: isTerminal[0],
      outputIsTerminal: isTerminal[1],
      errorIsTerminal: isTerminal[2],
      terminal: isTerminal[0] && isTerminal[1] ? ProcessTerminal() : nil,
      variables: ProcessInfo.processInfo.environment,
      temporaryDirectory: FileManager.default.temporaryDirectory.path,
      fileSystem: POSIXFileSystem(),
      stop: stop,
      uptime: { start.duration(to: .now) },
      pause: { duration in stop.wait(for: duration) },
      rerun: { arguments in try ProgramRerun.run(arguments) },
      startChild: { arguments in try ProcessChild(arguments) },
      childLimit: { ProcessChild.limit },
      startCommand: { line in try CommandProcess(line) }
    )
  }
}
