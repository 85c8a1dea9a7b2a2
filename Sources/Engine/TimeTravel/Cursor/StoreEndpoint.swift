package import ActionLog
import JSONCoding
import Platform

/// The place where a running app accepts moves of its ``TimeTravelStore``: a port of this machine, and the token that it requires.
///
/// It is a file in the directory of the log, which only its owner can read. It is no part of the log: recorders, readers,
/// verification, backups and shipping ignore it. A file without a running app is left by an app that was killed.
package struct StoreEndpoint: Hashable, Sendable {
  /// The port on 127.0.0.1.
  package var port: UInt16
  package var token: String
  package var processID: Int

  /// A few times the length of the file.
  private static let limitBytes = 1_024
  private static let tokenBytes = 16...128

  package init(port: UInt16, token: String, processID: Int) {
    (self.port, self.token, self.processID) = (port, token, processID)
  }

  private static func path(inLog log: String) -> String { log + "/" + LogFormat.inspectorName }

  /// Writes the file, or replaces that of an app that was killed.
  package func write(toLog log: String, _ fileSystem: any LogFileSystem) async throws {
    try await BlockingWork.run { () throws(FileSystemError) in try writeNow(toLog: log, fileSystem) }
  }

  private func writeNow(toLog log: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    let json: JSONValue = [
      "port": .number(JSONNumber(port)), "token": .string(token), "processID": .number(JSONNumber(processID)),
    ]
    try fileSystem.replaceFile(
      Self.path(inLog: log), with: json.bytes() + [0x0A], suffix: LogFormat.unfinishedSuffix, sync: nil)
  }

  /// Removes the file. One that cannot be removed does no harm: its port and its token end with the app.
  package static func remove(fromLog log: String, _ fileSystem: any LogFileSystem) async {
    await BlockingWork.run {
      do throws(FileSystemError) { try fileSystem.remove(path(inLog: log)) } catch {}
    }
  }

  package static func read(
    fromLog log: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) -> StoreEndpoint? {
    let path = path(inLog: log)
    guard let status = try fileSystem.status(of: path), status.kind == .file, status.sizeBytes <= limitBytes else {
      return nil
    }
    let bytes: [UInt8]
    do throws(FileSystemError) { bytes = try fileSystem.contents(of: path, limitBytes: limitBytes) } catch {
      // The app has ended, or another user's app wrote the file.
      guard [.notFound, .permissionDenied, .fileTooLarge].contains(error.code) else { throw error }
      return nil
    }
    return StoreEndpoint(bytes)
  }

  /// Parses the file; `nil` for that of another program.
  private init?(_ bytes: [UInt8]) {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { return nil }
    guard case .object(let object) = value, case .number(let port)? = object["port"], let port = UInt16(port.text),
      port > 0,
      case .string(let token)? = object["token"], Self.tokenBytes.contains(token.utf8.count),
      token.utf8.allSatisfy({ byte in (0x21...0x7E).contains(byte) }),
      case .number(let process)? = object["processID"], let processID = Int(process.text)
    else { return nil }
    self.init(port: port, token: token, processID: processID)
  }
}
