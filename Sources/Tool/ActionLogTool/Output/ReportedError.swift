import ActionLog
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import TerminalUI
package import TimeTravel

/// An error of the engine or of the system that the tool reports with an exit status, a message or advice of its own.
protocol ReportedError: DescribedError {
  var failure: ToolFailure { get }
}

extension LogError: ReportedError {
  var failure: ToolFailure { ToolFailure(self, ExitStatus(code), advice: ToolFailure.advice(on: self)) }
}

extension EventSourcingError: ReportedError {
  var failure: ToolFailure {
    // The message of an unknown type has already reported an unknown case.
    let reason = underlying.flatMap { error in
      code == .unknownType && CodingFault.namesUnknownCase(error) ? nil : " (\(CodingFault(error)))"
    }
    return ToolFailure(self, ExitStatus(code), message: "\(message)\(reason ?? "")")
  }
}

extension TimeTravelError: ReportedError {
  var failure: ToolFailure {
    let reason = underlying.map { error in " (\(CodingFault(error)))" } ?? ""
    var failure = ToolFailure(self, ExitStatus(code), message: "\(sentence)\(reason)")
    // The sentence includes the suggestions.
    failure.advice = nil
    failure.essence = essence
    failure.excerpt = excerpt?.lines ?? []
    return failure
  }
}

extension InterchangeError: ReportedError {
  var failure: ToolFailure { ToolFailure(self, ExitStatus(code)) }
}

extension FileSystemError: ReportedError {
  var failure: ToolFailure {
    let advice: MessageText? =
      code == .noSpace ? "Free some space, or name another path." : ToolFailure.advice(on: LogError.Code.inputOutput)
    var failure = ToolFailure(self, .environment, advice: ToolFailure.advice(onNumber: errorNumber) ?? advice)
    if code != .noSpace { failure.code = "inputOutput" }
    return failure
  }
}

extension ToolStreamError: ReportedError {
  var failure: ToolFailure {
    guard case .failed(let number) = self else { return ToolFailure(self, .environment) }
    let advice: MessageText? = number == ENOSPC ? "Free some space, or write the output elsewhere." : nil
    return ToolFailure(self, .environment, advice: advice ?? ToolFailure.advice(onNumber: number))
  }
}

extension ToolFailure {
  static let adviceOnMissingLog: MessageText = "Check the path; \(command: .record, "MODEL", "LOG") creates a log."

  /// Advice that names commands or options, which the engine does not have.
  fileprivate static func advice(on code: LogError.Code) -> MessageText? {
    switch code {
    case .notFound: adviceOnMissingLog
    case .notALog:
      "A log is a directory of files like 0000000000000001.jsonl; \(command: .record, "MODEL", "LOG") creates one."
    case .wrongModel: "Record with that model, or into another directory."
    case .inputOutput: "Check that the path and its parent directory exist and are readable and writable."
    case .exists: "Name a directory that does not exist."
    case .noSpace: "Free some space and try again. No acknowledged action is lost."
    default: nil
    }
  }

  /// The advice of the engine, and how to raise the limit that was met.
  fileprivate static func advice(on error: LogError) -> MessageText? {
    let known = MessageText.sentences(error.advice, adviceOnCause(error.underlying))
    guard known.isEmpty else { return known }
    return error.intact == nil ? advice(on: error.code) : nil
  }

  private static func adviceOnCause(_ error: (any Error)?) -> MessageText? {
    (error as? FileSystemError).flatMap { error in advice(onNumber: error.errorNumber) }
  }

  /// Advice on an error of the system that does not concern the existence or the permissions of a path.
  fileprivate static func advice(onNumber errorNumber: Int32) -> MessageText? {
    switch errorNumber {
    case EMFILE: "The process may not open more files: allow more with 'ulimit -n'. Acknowledged actions are kept."
    case ENFILE: "The system has no file descriptor left: end other programs. Acknowledged actions are kept."
    case EFBIG: "The length of files is limited: allow more with 'ulimit -f'. Acknowledged actions are kept."
    case ENAMETOOLONG: "Use a shorter name or path: file systems allow 255 bytes for a name."
    case EIO: "The device failed: check the disk, and copy what can be read."
    case ENOMEM: "Free some memory and try again."
    case EINVAL: "The path or the file system does not allow the call. Name another path."
    default: nil
    }
  }
}

extension ConditionExcerpt {
  /// The condition on one line, and a caret below the character.
  package var lines: [String] {
    let characters = text.map { character in character.isNewline || character == "\t" ? " " : character }
    let shown = TerminalText.escaping(String(characters))
    let before = TerminalText.escaping(String(characters.prefix(offset)))
    return [shown, String(repeating: " ", count: TextWidth.of(before)) + "^"]
  }
}
