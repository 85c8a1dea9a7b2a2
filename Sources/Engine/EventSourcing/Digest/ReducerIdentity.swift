import ActionLog
import Platform

/// Which code folded a snapshot, so that none is used that other code would have folded otherwise.
///
/// A fingerprint of the sources (``Model/sourceFingerprint``) identifies the code, and nothing is run. Without one, the code is
/// identified by its behavior: it folds the first actions of the log, and the digests of the states on the way are part of the
/// identity. Code that folds only later actions differently has the same identity, so a history also folds the actions before a
/// snapshot, from the snapshot before it (``History/newestSnapshot(atOrBefore:options:report:)``). A change that shows in neither
/// range goes unseen; the digests in the log show it to ``History/prove(at:against:options:)``.
///
/// It is computed once for a history and its refreshed copies.
final class ReducerIdentity<M: Model>: Sendable {
  /// What the first actions come to, up to some revision.
  private struct Probe: Sendable {
    /// The revision that was folded to.
    var revision = 0
    /// Digests of states on the way, in order.
    var digests: [(revision: Int, digest: StateDigest)] = []
    var encodedBytes = 0
  }

  private let unknownTypes: UnknownTypePolicy
  private let code = Locked<Result<String, EventSourcingError>?>(nil)
  private let probes = Locked<[Int: Probe]>([:])
  /// The checksums of snapshot files that were found to be what the code that runs folds, by revision.
  private let examined = Locked<[Int: [UInt8]]>([:])

  /// So many actions are folded at most: they cost less than a millisecond, and hold the types that are used all the time.
  private static var actionLimit: Int { 64 }
  /// Behind states of so many bytes no further ones are looked at: one that is large from the start would cost more than
  /// a snapshot saves.
  private static var encodingLimitBytes: Int { 1 << 20 }
  /// What stands between the two parts of an identity.
  private static var separator: Character { "+" }

  init(unknownTypes: UnknownTypePolicy) {
    self.unknownTypes = unknownTypes
  }

  /// The identity of the code that runs, as a snapshot at a revision says it.
  ///
  /// - Throws: What folding the first actions throws.
  func text(at revision: Int, in history: History<M>) throws -> String {
    let code = try fingerprint()
    guard M.sourceFingerprint == nil, revision > 0 else { return code }
    return code + String(Self.separator) + (try behaviour(at: revision, in: history))
  }

  /// Says whether the code that runs is the code that folded a snapshot, as far as that can be told.
  ///
  /// The snapshot was found to belong to the log.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/otherReducer``.
  func check(_ snapshot: Snapshot, path: String, in history: History<M>) throws(SnapshotRefusal) {
    func refusal(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(revision: snapshot.revision, path: path, reason: .otherReducer, message: message)
    }
    let code: String
    do throws(EventSourcingError) { code = try fingerprint() } catch {
      throw refusal("the code that runs has no identity: \(error)")
    }
    guard M.sourceFingerprint == nil, snapshot.revision > 0 else {
      if snapshot.reducer != code { throw refusal("it was folded by other code") }
      return
    }
    let parts = snapshot.reducer.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == code else { throw refusal("it was folded by other code") }
    let behaviour: String
    do {
      behaviour = try self.behaviour(at: snapshot.revision, in: history)
    } catch let error as LogError where error.code == .damaged {
      // The log's beginning cannot be read any more, so the snapshot is all that there is.
      return
    } catch let error as LogError {
      // What may be read the next time proves nothing now.
      throw refusal("the log's first actions cannot be read now: \(error)")
    } catch {
      throw refusal("the code that runs cannot fold the log's first actions: \(error)")
    }
    guard parts[1] == behaviour else {
      throw refusal("it was folded by code that makes other states of the log's first actions")
    }
  }

  /// Whether it is not known yet that the code that runs folds the state of a snapshot whose identity it has.
  ///
  /// - Parameter seal: The checksum of the snapshot's file.
  func needsExamination(at revision: Int, seal: [UInt8]) -> Bool {
    guard M.sourceFingerprint == nil, revision > 0 else { return false }
    // The first actions led to the very state.
    if probes.withLock({ probes in probes[revision]?.digests.last?.revision == revision }) { return false }
    return examined.withLock { examined in examined[revision] != seal }
  }

  /// Notes that the code that runs folds the state of a snapshot.
  func noteExamination(at revision: Int, seal: [UInt8]) {
    examined.withLock { examined in examined[revision] = seal }
  }

  /// ``Model/fingerprint(unknownTypes:)``, computed once.
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

  private func behaviour(at revision: Int, in history: History<M>) throws -> String {
    let last = min(revision, Self.actionLimit)
    let probe = try probes.withLock({ probes in probes[last] }) ?? Self.probe(history, through: last)
    probes.withLock { probes in probes[last] = probe }
    var hasher = SHA256()
    for (revision, digest) in probe.digests { hasher.update("\(revision) \(digest.hexadecimal)\n".utf8) }
    return hasher.shortText()
  }

  /// Folds the first actions: digests at 1, 2, 4 … and at the last one.
  private static func probe(_ history: History<M>, through last: Int) throws -> Probe {
    var probe = Probe()
    var failure: (any Error)?
    var options = ReplayOptions()
    options.usesSnapshots = false
    options.decodesAhead = false
    options.isCancelled = { false }
    _ = try history.state(
      at: last, options: options,
      keeping: StateKeeping(
        next: { revision in
          let next = revision == 0 ? 1 : revision * 2
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
  /// What the engine can tell of the code that folds, without running it: 16 hexadecimal digits over name, schema, initial
  /// state, ``sourceFingerprint`` and the policy on unknown types.
  ///
  /// It stands in the log's digests. A snapshot says besides what the code made of the log's first actions, unless there
  /// is a fingerprint of the sources; see ``ReducerIdentity``.
  ///
  /// - Parameter unknownTypes: The policy in force; `nil` is that of the model.
  /// - Throws: ``EventSourcingError/Code/unencodableState``.
  package static func fingerprint(unknownTypes: UnknownTypePolicy? = nil) throws(EventSourcingError) -> String {
    var hasher = SHA256()
    hasher.update("\(name)\n\(schema)\n".utf8)
    hasher.update(try canonicalBytes(of: initialState))
    if let sourceFingerprint { hasher.update("\nsources \(sourceFingerprint)".utf8) }
    if (unknownTypes ?? evolution.unknownTypes) == .keep { hasher.update("\nkeeps unknown types".utf8) }
    return hasher.shortText()
  }
}

extension SHA256 {
  /// The first 16 hexadecimal digits of the digest: enough to tell versions of a program apart.
  func shortText() -> String {
    finalize().prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
