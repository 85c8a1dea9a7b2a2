import ActionLog
import Platform

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

extension SHA256 {
  /// The first 16 hexadecimal digits of the digest, enough to distinguish versions of a program.
  func shortText() -> String {
    finalize().prefix(8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
