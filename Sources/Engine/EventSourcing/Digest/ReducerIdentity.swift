package import ActionLog
package import Platform

/// The identity of the code that folds, compared with the identity in a snapshot so that no snapshot by other code is used.
///
/// If the model has a fingerprint of its sources (``Model/sourceFingerprint``), that identifies the code. Otherwise the code is
/// identified by its behavior: it folds the first actions of the log, and the digests of the states are part of the identity. Code
/// that folds only later actions differently has the same identity. Therefore a history also folds the actions between a snapshot
/// and the previous one (``History/newestSnapshot(atOrBefore:options:report:)``). A change that affects neither range is missed;
/// the digests in the log show it to `History.prove(at:against:options:)`.
///
/// The identity is computed once for a history and its refreshed copies.
final class ReducerIdentity<M: Model>: Sendable {
  /// The digests of the states after the first actions.
  private struct Probe: Sendable {
    /// The last folded revision.
    var revision = 0
    /// Digests of some of the states, in order.
    var digests: [(revision: Int, digest: StateDigest)] = []
    var encodedBytes = 0
  }

  private let unknownTypes: UnknownTypePolicy
  private let code = Locked<Result<String, EventSourcingError>?>(nil)
  private let probes = Locked<[Int: Probe]>([:])
  /// By revision, the checksums of the snapshot files that the present code folds to the same state.
  private let examined = Locked<[Int: [UInt8]]>([:])
  /// The examinations that other processes have made and will use; `nil` if there are none.
  private let kept = Locked<ExaminedSnapshots?>(nil)
  /// The digest of the code of this process, once it was needed.
  private let codeDigest = Locked<SHA256Digest??>(nil)
  /// By revision, the digests of snapshot files with their checksums.
  private let digests = Locked<[Int: (seal: [UInt8], digest: SHA256Digest)]>([:])
  /// The snapshots of a pruned log whose digest of the first actions does not match.
  private let unproved = Locked<Set<Int>>([])

  /// The largest number of actions to fold. Folding them takes less than a millisecond, and they include the types that are used
  /// most.
  private static var actionLimit: Int { 64 }
  /// The total size of encoded states after which no further states are encoded. With a large initial state, encoding more would
  /// take longer than a snapshot saves.
  private static var encodingLimitBytes: Int { 1 << 20 }
  /// The separator between the two parts of an identity.
  private static var separator: Character { "+" }

  init(unknownTypes: UnknownTypePolicy) {
    self.unknownTypes = unknownTypes
  }

  /// Returns the identity of the present code for a snapshot at a revision.
  ///
  /// - Throws: The error of folding the first actions.
  func text(at revision: Int, in history: History<M>) throws -> String {
    let code = try fingerprint()
    guard M.sourceFingerprint == nil, revision > history.firstRevision else { return code }
    do {
      return code + String(Self.separator) + (try behavior(at: revision, in: history))
    } catch let error as LogError where error.code == .pruned {
      // A projection that cannot begin with the base of the log: only its version identifies its code.
      return code + String(Self.separator) + Self.prunedBehavior
    }
  }

  private static var prunedBehavior: String { "pruned" }

  /// Checks that the present code has the identity of the code that took a snapshot. The snapshot must belong to the log.
  ///
  /// - Throws: ``SnapshotRefusal/Code/otherReducer``.
  func check(_ snapshot: Snapshot, path: String, in history: History<M>) throws(SnapshotRefusal) {
    func refusal(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(.otherReducer, message, path: path, revision: snapshot.revision)
    }
    let code: String
    do throws(EventSourcingError) { code = try fingerprint() } catch {
      throw refusal("this program's code has no identity: \(error)")
    }
    let first = history.firstRevision
    guard M.sourceFingerprint == nil, snapshot.revision > first else {
      if snapshot.reducer != code { throw refusal("it was taken by other code") }
      return
    }
    let parts = snapshot.reducer.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == code else { throw refusal("it was taken by other code") }
    let behavior: String
    do {
      behavior = try self.behavior(at: snapshot.revision, in: history)
    } catch let error as LogError where error.code == .damaged || error.code == .pruned {
      // The first actions are lost, and only the snapshot holds their effect.
      return
    } catch let error as LogError {
      // A later attempt may succeed, so this one proves nothing.
      throw refusal("the log's first actions cannot be read now: \(error)")
    } catch {
      throw refusal("this program cannot fold the log's first actions: \(error)")
    }
    guard parts[1] == behavior else {
      // It may have been taken before the log was pruned, after other first actions. The examination from the base on decides.
      guard first == 0 else {
        unproved.withLock { unproved in _ = unproved.insert(snapshot.revision) }
        return
      }
      throw refusal("it was taken by code that folds the log's first actions to other states")
    }
  }

  /// Whether it is unknown that the present code folds to the state of a snapshot with the same identity.
  ///
  /// - Parameter seal: The checksum of the snapshot's file.
  func needsExamination(at revision: Int, seal: [UInt8]) -> Bool {
    guard M.sourceFingerprint == nil, revision > 0 else { return false }
    // The fold of the first actions ended at this revision.
    if !isUnproved(revision), probes.withLock({ probes in probes[revision]?.digests.last?.revision == revision }) {
      return false
    }
    return examined.withLock { examined in examined[revision] != seal }
  }

  /// Whether a snapshot may have been taken by other code, so that only the fold from the base of a pruned log can prove its state.
  func isUnproved(_ revision: Int) -> Bool { unproved.withLock { unproved in unproved.contains(revision) } }

  /// Records that the present code folds to the state of a snapshot.
  func noteExamination(at revision: Int, seal: [UInt8]) {
    examined.withLock { examined in examined[revision] = seal }
  }

  // MARK: Examinations of other processes

  func keepExaminations(in examined: ExaminedSnapshots) { kept.withLock { kept in kept = examined } }

  /// Returns the digest of a snapshot's file, computed once; `nil` if no examinations are kept.
  func digest(of file: SnapshotFile) -> SHA256Digest? {
    guard M.sourceFingerprint == nil, kept.withLock({ kept in kept }) != nil else { return nil }
    let (revision, seal) = (file.snapshot.revision, file.seal)
    if let known = digests.withLock({ digests in digests[revision] }), known.seal == seal { return known.digest }
    let digest = file.digest
    digests.withLock { digests in digests[revision] = (seal, digest) }
    return digest
  }

  /// Returns the entry for a snapshot; `nil` if folding the actions takes less time than finding it, or the code cannot be identified.
  ///
  /// - Parameters:
  ///   - revision: The revision of the snapshot.
  ///   - digest: The digest of its file.
  ///   - start: The revision from which it is examined.
  ///   - beginning: The digest of the snapshot there; `nil` for the beginning of the log.
  func entry(
    of revision: Int, _ digest: SHA256Digest, after start: Int, _ beginning: SHA256Digest?
  ) -> ExaminedSnapshots.Entry? {
    guard let kept = kept.withLock({ kept in kept }), revision - start >= kept.shortestRange else { return nil }
    guard let code = digestOfCode(kept) else { return nil }
    return ExaminedSnapshots.Entry(
      code: code, model: String(reflecting: M.self), revision: revision, digest: digest, start: start,
      beginning: beginning)
  }

  /// The digest of the code of this process, which includes the model's; `nil` if it cannot be identified.
  private func digestOfCode(_ kept: ExaminedSnapshots) -> SHA256Digest? {
    codeDigest.withLock { code in
      if let code { return code }
      let digest = kept.digestOfCode()
      code = .some(digest)
      return digest
    }
  }

  /// The folder of files that later processes use, and the text that identifies the code and the model; `nil` if there is none.
  func derivedFiles() -> (files: ExaminedSnapshots, code: String)? {
    guard let kept = kept.withLock({ kept in kept }), let code = digestOfCode(kept) else { return nil }
    do throws(EventSourcingError) {
      return (kept, "\(code.hexadecimal)\n\(String(reflecting: M.self))\n\(try fingerprint())")
    } catch {
      return nil
    }
  }

  /// Whether a process with the same code has folded to the state of a snapshot.
  func isExamined(_ entry: ExaminedSnapshots.Entry) -> Bool {
    kept.withLock { kept in kept }?.contains(entry) ?? false
  }

  /// Records for other processes that the present code folds to the state of a snapshot.
  func keep(_ entry: ExaminedSnapshots.Entry) { kept.withLock { kept in kept }?.add(entry) }

  /// Returns ``Model/fingerprint(unknownTypes:)``, computed once.
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

  private func behavior(at revision: Int, in history: History<M>) throws -> String {
    let first = history.firstRevision
    let last = min(revision, first + Self.actionLimit)
    let probe = try probes.withLock({ probes in probes[last] }) ?? Self.probe(history, from: first, through: last)
    probes.withLock { probes in probes[last] = probe }
    var hasher = SHA256()
    for (revision, digest) in probe.digests { hasher.update("\(revision) \(digest.hexadecimal)\n".utf8) }
    return hasher.shortText()
  }

  /// Folds the first actions and takes digests after the first, the second, the fourth … and the last one.
  private static func probe(_ history: History<M>, from first: Int, through last: Int) throws -> Probe {
    var probe = Probe()
    var failure: (any Error)?
    var options = ReplayOptions()
    options.usesSnapshots = false
    options.decodesAhead = false
    options.isCancelled = { false }
    _ = try history.replay(
      to: last, options: options,
      keeping: StateKeeping(
        next: { revision in
          let next = revision == first ? first + 1 : first + (revision - first) * 2
          return revision < last ? min(next, last) : nil
        },
        keep: { state, revision in
          guard failure == nil, probe.encodedBytes <= encodingLimitBytes else { return }
          do {
            let bytes = try history.decoder.states.canonicalBytes(of: state)
            probe.encodedBytes += bytes.count
            probe.digests.append((revision: revision, digest: StateDigest(canonicalBytes: bytes)))
          } catch {
            failure = error
          }
        }))
    if let failure { throw failure }
    return probe
  }
}

extension Model {
  /// The part of the code's identity that is known without running it: 16 hexadecimal digits over name, schema, initial state,
  /// ``sourceFingerprint`` and the policy for unknown types, and over name and version of a projection.
  ///
  /// Digests in the log carry it. A snapshot adds a digest of the states after the log's first actions, unless there is a
  /// fingerprint of the sources; see ``ReducerIdentity``.
  ///
  /// - Parameter unknownTypes: The policy in use; `nil` is the model's policy.
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  package static func fingerprint(unknownTypes: UnknownTypePolicy? = nil) throws(EventSourcingError) -> String {
    var hasher = SHA256()
    hasher.update("\(name)\n\(schema)\n".utf8)
    if let projection { hasher.update("\(projection)\n".utf8) }
    hasher.update(try canonicalBytes(of: initialState))
    if let sourceFingerprint { hasher.update("\nsources \(sourceFingerprint)".utf8) }
    if (unknownTypes ?? evolution.unknownTypes) == .keep { hasher.update("\nkeeps unknown types".utf8) }
    return hasher.shortText()
  }
}

/// A file of examinations of snapshots, so that a snapshot is not examined again by each process.
///
/// An entry is the SHA-256 of everything that an examination depends on: the code of the process and the type of the model, the revision
/// and the file of the snapshot, and those of the snapshot from which it was examined. The files name the log, the schema, the code's
/// identity and, by the checksum chain, the actions. So an entry for other code or other files never matches, whatever happened to
/// the file of the entries; it needs no checksum, and removing it costs only time. No entry is used in place of a check of the log.
package struct ExaminedSnapshots: Sendable {
  /// An examination in which a fold has led to the state of a snapshot.
  struct Entry: Equatable {
    /// 64 hexadecimal digits.
    fileprivate let text: String

    init(
      code: SHA256Digest, model: String, revision: Int, digest: SHA256Digest, start: Int, beginning: SHA256Digest?
    ) {
      text = SHA256.hexadecimal(
        """
        snapshot examined by \(code.hexadecimal)
        \(model)
        \(revision) \(digest.hexadecimal)
        \(start) \(beginning?.hexadecimal ?? "-")

        """.utf8)
    }
  }

  /// The path of the file.
  package let path: String
  /// The number of actions whose examination is worth an entry: folding fewer takes about as long as finding one.
  let shortestRange: Int
  let digestOfCode: @Sendable () -> SHA256Digest?

  /// The folder of the file, and of other files that can be derived again.
  package let folder: String
  package let fileSystem: any LogFileSystem
  /// The last error that prevented a file from being written. It costs only time.
  package let failure: Locked<FileSystemError?>

  /// The newest entries are kept: those of about a hundred logs.
  private static let entryLimit = 1_024
  private static let entryBytes = 65

  /// Names the file in a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder. It is created with the first entry.
  ///   - fileSystem: The file system of the folder.
  ///   - shortestRange: The number of actions whose examination is worth an entry.
  ///   - failure: Receives the error that prevents a file from being written.
  ///   - digestOfCode: Identifies the code of the process; `nil` if it cannot be identified, so that no entry is used or made.
  package init(
    in folder: String, fileSystem: any LogFileSystem, shortestRange: Int = 4_096,
    failure: Locked<FileSystemError?> = Locked(nil),
    digestOfCode: @escaping @Sendable () -> SHA256Digest? = { SHA256.digestOfCode() }
  ) {
    self.folder = folder
    self.path = folder + "/examined-snapshots"
    self.fileSystem = fileSystem
    self.shortestRange = shortestRange
    self.failure = failure
    self.digestOfCode = digestOfCode
  }

  func contains(_ entry: Entry) -> Bool { entries().contains(entry.text[...]) }

  /// Adds an entry. If that fails, or another process adds one at the same time, an entry is lost, which costs only time.
  func add(_ entry: Entry) {
    let entries = entries().suffix(Self.entryLimit - 1) + [entry.text[...]]
    do throws(FileSystemError) {
      try replace(path, with: Array(entries.map { entry in entry + "\n" }.joined().utf8))
    } catch {}
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

  private func entries() -> [Substring] {
    do throws(FileSystemError) {
      let bytes = try fileSystem.contents(of: path, limitBytes: Self.entryLimit * Self.entryBytes)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    } catch {
      return []
    }
  }
}

extension SHA256 {
  /// The first 16 hexadecimal digits of the digest, enough to distinguish versions of a program.
  func shortText() -> String {
    finalize().prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
