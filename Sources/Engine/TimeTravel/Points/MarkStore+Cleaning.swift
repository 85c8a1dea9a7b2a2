package import ActionLog

extension MarkStore {
  /// Removes the lines of marks that were removed or replaced, whose names and remarks are still in the file, for good.
  ///
  /// The lines of present marks and those that are not marks stay. A new file without the others replaces the old one atomically. A
  /// file `marks.jsonl.new` exists from before the old file is read until then. A process that adds or removes a mark waits for its end,
  /// and checks that its mark was kept. If the cleaning is interrupted, that file stays, has no effect on the marks, and is named in the
  /// errors of later changes until a user removes it.
  package func eraseRemovedMarks() throws(LogError) {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil, try keptLines() != nil else { return }
      let file = try fileSystem.open(temporaryPath, for: .create)
      defer { file.close() }
      var isRenamed = false
      do throws(FileSystemError) {
        // Read again: a process that appends from now on finds the temporary file and waits.
        guard let kept = try keptLines() else { return try fileSystem.remove(temporaryPath) }
        if !kept.isEmpty { try file.append(kept) }
        try file.sync(.full)
        try fileSystem.rename(temporaryPath, to: path)
        isRenamed = true
        try fileSystem.syncDirectory(log)
      } catch {
        // Report the first error. If the temporary file remains, the next cleaning reports it.
        if !isRenamed {
          do throws(FileSystemError) { try fileSystem.remove(temporaryPath) } catch {}
        }
        throw error
      }
    } catch {
      if error.code == .exists, error.path == temporaryPath { throw beingCleaned(underlying: error) }
      throw failure(error, "the marks cannot be cleaned")
    }
  }

  /// The lines of the file that stay; `nil` if all do.
  private func keptLines() throws(FileSystemError) -> [UInt8]? {
    let file = try fileSystem.contents(of: path, limitBytes: limitBytes)
    let present = Self.reading(file).marks
    var (kept, isComplete) = ([UInt8](), true)
    _ = Self.reading(file) { line, entry in
      switch entry {
      case .made(let mark)? where !present.contains(mark): isComplete = false
      case .removed?: isComplete = false
      case .made?, nil: kept += line.last == UInt8(ascii: "\n") ? line : line + [UInt8(ascii: "\n")]
      }
    }
    return isComplete ? nil : kept
  }
}
