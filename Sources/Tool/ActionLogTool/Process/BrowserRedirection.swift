import ActionLog
import Foundation

/// A file that leads a browser to an address, so that its secret is in no list of arguments.
struct BrowserRedirection {
  /// The time in which a shell starts the browser.
  private static let patience = Duration.seconds(5)
  #if os(macOS)
  private static let program = "open"
  #else
  private static let program = "xdg-open"
  #endif

  private let path: String
  private let fileSystem: any LogFileSystem

  /// Writes the file, which only the user can read, and opens it. Blocks.
  init(to address: String, _ context: CommandContext) throws {
    guard let start = context.environment.startCommand else {
      throw ToolFailure(
        "noBrowser", .environment, "this tool cannot start a browser", advice: "Open the printed address.")
    }
    path = context.environment.temporaryDirectory + "/action-log-inspect-\(UUID().uuidString).html"
    fileSystem = context.environment.fileSystem
    // The address has only letters, digits and -_./:#=.
    let page = "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=\(address)\">\n"
    do {
      let file = try fileSystem.open(path, for: .create)
      defer { file.close() }
      try file.append(Array(page.utf8))
      // The browser continues when this program ends.
      let words = ["/bin/sh", "-c", "\(Self.program) \"$1\" >/dev/null 2>&1 &", "sh", path]
      let command = try start(ToolCommandLine(words, readsOutput: false))
      command.closeInput()
      _ = command.wait { waited in waited < Self.patience }
    } catch {
      remove()
      throw error
    }
  }

  func remove() {
    // A file that is left in the temporary directory does no harm: its secret ends with the server.
    do { try fileSystem.remove(path) } catch {}
  }
}
