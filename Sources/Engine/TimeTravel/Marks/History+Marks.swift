import ActionLog
public import EventSourcing

extension History {
  /// The marks beside the log; `nil` for a single segment file.
  public var marks: MarkStore? { reader.isSingleSegment ? nil : MarkStore(log: path, fileSystem: fileSystem) }
}
