import ActionLog
import JSONCoding

/// The file of a snapshot, taken apart without reading the state in it.
///
/// A state is most of the file. Loading one reads it once, where it lies.
package struct SnapshotFile {
  /// What the snapshot says of itself; its state is left out.
  package let snapshot: Snapshot

  private let bytes: [UInt8]
  private let revision: Int
  private let path: String
  /// Where the state lies, if the file is written as ``Snapshot`` writes it.
  private let state: Range<Int>?

  /// A header holds seven members: names, a time, two checksums.
  private static let headerLimitBytes = 4_096
  private static let stateName = Array(",\"state\":".utf8)

  /// Checks a file and reads its header.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/damaged``.
  /// - Complexity: O(length of `bytes`), for the checksum.
  init(_ bytes: [UInt8], revision: Int, path: String) throws(SnapshotRefusal) {
    self.bytes = bytes
    self.revision = revision
    self.path = path
    guard LineSeal.isIntact(bytes) else {
      throw SnapshotRefusal(revision: revision, path: path, reason: .damaged, message: "checksum mismatch")
    }
    guard let name = Self.place(of: Self.stateName, in: bytes.prefix(Self.headerLimitBytes)),
      let header = Self.header(bytes[..<name.lowerBound])
    else {
      snapshot = try Snapshot(parsing: bytes, revision: revision, path: path)
      state = nil
      return
    }
    let found = try Snapshot(header, state: [], revision: revision, path: path)
    // A second member of a name may hide among those that are not known. Only what is written as the writer writes it cannot
    // have one.
    guard bytes[..<name.upperBound].elementsEqual(found.headerBytes) else {
      snapshot = try Snapshot(parsing: bytes, revision: revision, path: path)
      state = nil
      return
    }
    snapshot = found
    state = name.upperBound..<max(name.upperBound, bytes.count - LineSeal.sizeBytes)
  }

  /// The checksum at the end of the file.
  package var seal: [UInt8] { Array(bytes.suffix(LineSeal.sizeBytes)) }

  /// Decodes the state.
  ///
  /// - Throws: ``SnapshotRefusal/Reason/undecodable``; ``SnapshotRefusal/Reason/damaged`` when it is no JSON.
  /// - Complexity: O(size of the state).
  package func decodeState<State>(by coder: StateCoder<State>) throws(SnapshotRefusal) -> State {
    if let state {
      do {
        return try coder.decode(from: bytes[state], maximumDepth: Snapshot.maximumDepth - 1)
      } catch {
        // Whether the file or the state is at fault is found out below.
      }
    }
    let strict = try Snapshot(parsing: bytes, revision: revision, path: path)
    do {
      return try coder.decode(from: strict.state[...], maximumDepth: Snapshot.maximumDepth)
    } catch {
      throw SnapshotRefusal(
        revision: revision, path: path, reason: .undecodable, message: "its state does not decode: \(error)")
    }
  }
}

extension SnapshotFile {
  private static func place(of name: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard bytes.count >= name.count else { return nil }
    return (bytes.startIndex...bytes.endIndex - name.count)
      .first { start in bytes[start..<start + name.count].elementsEqual(name) }
      .map { start in start..<start + name.count }
  }

  /// The members in front of the state; `nil` when something else stands there too.
  private static func header(_ bytes: ArraySlice<UInt8>) -> Snapshot.Header? {
    do {
      return try StrictJSONDecoder().decode(Snapshot.Header.self, from: bytes + [UInt8(ascii: "}")])
    } catch {
      return nil
    }
  }
}
