package import ActionLog
package import Platform

/// The identity of the code that folds, compared with the identity in a snapshot so that no snapshot by other code is used.
///
/// The fingerprint is computed once for a history and its refreshed copies.
final class ReducerIdentity<M: Model>: Sendable {
  private let unknownTypes: UnknownTypePolicy
  private let code = Locked<Result<String, EventSourcingError>?>(nil)

  init(unknownTypes: UnknownTypePolicy) {
    self.unknownTypes = unknownTypes
  }

  /// Returns the identity for a snapshot of this code. That of a model without a fingerprint matches no other one.
  func text() throws(EventSourcingError) -> String {
    try fingerprint() + (M.isIdentified ? "" : "+unknown")
  }

  func check(_ snapshot: Snapshot, path: String) throws(SnapshotRefusal) {
    try checkIsKnown(at: snapshot.revision, path: path)
    let message: String
    do throws(EventSourcingError) {
      if try fingerprint() == snapshot.reducer { return }
      message = "it was taken by other code"
    } catch {
      message = "this program's code has no identity: \(error)"
    }
    throw SnapshotRefusal(.otherReducer, message, path: path, revision: snapshot.revision)
  }

  /// Checks that the model has a fingerprint. Without one, no snapshot can be used.
  func checkIsKnown(at revision: Int, path: String) throws(SnapshotRefusal) {
    guard !M.isIdentified else { return }
    throw SnapshotRefusal(
      .otherReducer, "the model '\(M.name)' has no fingerprint, so this program's code may fold to another state",
      path: path, revision: revision)
  }

  func fingerprint() throws(EventSourcingError) -> String {
    if let known = code.withLock({ code in code }) { return try known.get() }
    let result: Result<String, EventSourcingError>
    do throws(EventSourcingError) {
      result = .success(try M.fingerprint(unknownTypes: unknownTypes))
    } catch {
      result = .failure(error)
    }
    code.withLock { code in code = result }
    return try result.get()
  }
}

extension Model {
  /// Whether the author vouches for the identity of the code: with a fingerprint, or with the version of a projection.
  package static var isIdentified: Bool { sourceFingerprint != nil || projection != nil }

  /// The identity of the code: 16 hexadecimal digits over name, schema, initial state, ``sourceFingerprint`` and the policy for unknown
  /// types, and over name and version of a projection.
  ///
  /// Digests in the log and snapshots carry it. An empty ``sourceFingerprint`` adds nothing.
  package static func fingerprint(unknownTypes: UnknownTypePolicy? = nil) throws(EventSourcingError) -> String {
    var hasher = SHA256()
    hasher.update("\(name)\n\(schema)\n".utf8)
    if let projection { hasher.update("\(projection)\n".utf8) }
    hasher.update(try canonicalBytes(of: initialState))
    if let sourceFingerprint, !sourceFingerprint.isEmpty { hasher.update("\nsources \(sourceFingerprint)".utf8) }
    if (unknownTypes ?? evolution.unknownTypes) == .keep { hasher.update("\nkeeps unknown types".utf8) }
    // Enough to distinguish versions of a program.
    return String(hasher.digest().hexadecimal.prefix(16))
  }
}

/// A folder of files that can be derived again from a log: removing it costs only time.
package struct DerivedFiles: Sendable {
  package let folder: String
  package let fileSystem: any LogFileSystem
  /// The last error that prevented a file from being written. It costs only time.
  package let failure: Locked<FileSystemError?>

  package init(
    in folder: String, fileSystem: any LogFileSystem, failure: Locked<FileSystemError?> = Locked(nil)
  ) {
    (self.folder, self.fileSystem, self.failure) = (folder, fileSystem, failure)
  }

  /// Replaces a file of the folder, which is created if it does not exist.
  package func replace(_ path: String, with bytes: [UInt8]) throws(FileSystemError) {
    do throws(FileSystemError) {
      if try fileSystem.status(of: folder) == nil { try fileSystem.makeDirectories(folder) }
      // The new file can be one that another process is writing, which is lost then.
      try fileSystem.replaceFile(path, with: bytes, sync: nil)
    } catch {
      failure.withLock { failure in failure = error }
      throw error
    }
  }

  /// Whether ``replace(_:with:)`` can make the file, as long as there is space for it.
  package func canReplace(_ path: String) -> Bool {
    let probe = path + ".probe"
    do throws(FileSystemError) {
      if let status = try fileSystem.status(of: path), status.kind != .file { return false }
      if try fileSystem.status(of: folder) == nil { try fileSystem.makeDirectories(folder) }
      if try fileSystem.status(of: probe) == nil { try fileSystem.open(probe, for: .create).close() }
      do throws(FileSystemError) { try fileSystem.remove(probe) } catch  where error.code == .notFound {
        // Another process has removed it.
      }
      return true
    } catch {
      failure.withLock { failure in failure = error }
      return false
    }
  }
}
