import ActionLog
import ActionLogMaintenance

/// A proof of a line, a proof that one tree leads to another, or a checkpoint with its signatures.
struct FuzzedProof {
  let input: [UInt8]

  init(_ input: [UInt8]) { self.input = input }

  /// Checks that each accepted file has only this form, and that a proof holds for its own index and size alone.
  func check() throws(FuzzFlaw) {
    if let proof = FuzzFlaw.accepted({ try LineProof(parsing: input) }) {
      try FuzzFlaw.unless(proof.encoded == input, "the proof of a line is written as another file")
      if FuzzFlaw.accepted({ try proof.verify() }) != nil {
        _ = try FuzzFlaw.never("a verified line is a record") { try proof.record() }
        var entry = LineEntry()
        let leaf = try FuzzFlaw.never("a verified line has a leaf") {
          try proof.line.withUnsafeBytes { line in try entry.leaf(of: line) }
        }
        // A line can be the same as the next one in a tree that somebody made up.
        for index in [proof.index - 1, proof.index + 1] where proof.path.first != leaf {
          let other = LineProof(line: proof.line, index: index, path: proof.path, checkpoint: proof.checkpoint)
          try FuzzFlaw.unless(
            FuzzFlaw.accepted({ try other.verify() }) == nil, "the line is proved at \(proof.index) and \(index)")
        }
      }
    }
    if let proof = FuzzFlaw.accepted({ try ConsistencyProof(parsing: input) }) {
      try FuzzFlaw.unless(proof.encoded == input, "the proof of a tree is written as another file")
      // Of its own checkpoint it can prove only that the tree is the same.
      let proves = FuzzFlaw.accepted({ try proof.verify(from: proof.checkpoint.checkpoint) }) != nil
      try FuzzFlaw.unless(
        !proves || (proof.oldSize == proof.checkpoint.checkpoint.size && proof.hashes.isEmpty),
        "the tree leads to itself by \(proof.hashes.count) hashes")
    }
    if let signed = FuzzFlaw.accepted({ try SignedCheckpoint(parsing: input) }) {
      try FuzzFlaw.unless(signed.encoded == input, "the checkpoint is written as another file")
      let checkpoint = try FuzzFlaw.never("the text of a checkpoint") { try Checkpoint(text: signed.note.text) }
      try FuzzFlaw.unless(checkpoint == signed.checkpoint, "the checkpoint is read as another one")
    }
  }
}
