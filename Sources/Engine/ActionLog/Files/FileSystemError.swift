/// A failed call of a ``LogFileSystem``.
public struct FileSystemError: Error, Equatable, Sendable {
  /// Why a call failed, as far as callers branch on it.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing lies at the path.
    case notFound
    /// Something lies at the path already.
    case exists
    /// The path, or a part of it, is not a directory.
    case notADirectory
    /// A directory that was to be removed or replaced holds something.
    case notEmpty
    /// The path is not a regular file: a directory, symbolic link, device, pipe or socket.
    case notARegularFile
    /// The process may not do this.
    case permissionDenied
    /// The file system is mounted read-only.
    case readOnlyFileSystem
    /// No space is left, or a quota is used up.
    case noSpace
    /// The file would be larger than the process or the file system allows.
    case fileTooLarge
    /// Another writer holds the lock.
    case locked
    /// The device failed, or any other reason; see ``FileSystemError/errorNumber``.
    case inputOutput
  }

  /// Why the call failed.
  public var code: Code
  /// The call, for instance `fdatasync`.
  public var operation: String
  /// The path of the file or directory.
  public var path: String
  /// The system's error number, 0 when there is none.
  public var errorNumber: Int32
  /// The process that holds a lock, where it is known.
  public var holder: Int32?

  /// Makes an error from its parts.
  public init(code: Code, operation: String, path: String, errorNumber: Int32 = 0, holder: Int32? = nil) {
    self.code = code
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
    self.holder = holder
  }
}

extension FileSystemError {
  /// Whether it says something of the file: not that the process lacks files or memory to open it with, and tries in vain whatever
  /// lies there.
  package var concernsFile: Bool { !SystemCall.isShortage(errorNumber) }
}

extension FileSystemError: CustomStringConvertible {
  /// The call and what the system says of it, for instance `write: File too large`.
  ///
  /// The path is not part of it: the errors that are made of this one name the place themselves.
  public var description: String {
    "\(operation): " + (errorNumber == 0 ? code.words : SystemCall.message(for: errorNumber))
  }
}

extension FileSystemError.Code {
  /// What it means, for an error that is none of the system's.
  fileprivate var words: String {
    switch self {
    case .notFound: "nothing lies at the path"
    case .exists: "something lies at the path already"
    case .notADirectory: "what lies at the path is no directory"
    case .notEmpty: "the directory is not empty"
    case .notARegularFile: "what lies at the path is no regular file"
    case .permissionDenied: "not permitted"
    case .readOnlyFileSystem: "the file system is read-only"
    case .noSpace: "no space is left"
    case .fileTooLarge: "the file is larger than it may be"
    case .locked: "another process holds the lock"
    case .inputOutput: "input or output failed"
    }
  }
}
