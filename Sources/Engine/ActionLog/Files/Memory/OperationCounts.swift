/// How often a ``MemoryFileSystem`` was asked for what, since it was made or since the counts were reset.
///
/// Calls that fail count too.
public struct OperationCounts: Sendable, Equatable {
  /// Files opened.
  public var opens = 0
  /// Calls of ``LogFile/read(at:into:)``.
  public var reads = 0
  /// Bytes that these returned.
  public var bytesRead = 0
  /// Calls of ``LogFile/append(_:)``.
  public var appends = 0
  /// Calls of ``LogFile/write(_:at:)``.
  public var writes = 0
  /// Bytes that appends and writes put into files.
  public var bytesWritten = 0
  /// Calls of ``LogFile/truncate(toBytes:)``.
  public var truncations = 0
  /// Calls of ``LogFile/synchronize(_:)``.
  public var syncs = 0
  /// Calls of ``LogFileSystem/synchronizeDirectory(_:)``.
  public var directorySyncs = 0
  /// Calls of ``LogFileSystem/rename(_:to:)`` and ``LogFileSystem/renameWithoutReplacing(_:to:)``.
  public var renames = 0
  /// Calls of ``LogFileSystem/remove(_:)``.
  public var removals = 0

  /// All zero.
  public init() {}
}
