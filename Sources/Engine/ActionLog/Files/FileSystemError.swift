/// A failed call of a ``LogFileSystem``.
public struct FileSystemError: DescribedError, Equatable, Sendable {
  /// The reasons that callers distinguish.
  public enum Code: String, Sendable, CaseIterable {
    /// The path does not exist.
    case notFound
    /// The path exists already.
    case exists
    /// The path or one of its components is not a directory.
    case notADirectory
    /// A directory to be removed or replaced is not empty.
    case notEmpty
    /// The path is not a regular file: a directory, symbolic link, device, pipe or socket.
    case notARegularFile
    /// The process lacks the permission.
    case permissionDenied
    /// The file system is mounted read-only.
    case readOnlyFileSystem
    /// No space is left, or a quota is exhausted.
    case noSpace
    /// The file would exceed the limit of the process or the file system.
    case fileTooLarge
    /// Another writer holds the lock.
    case locked
    /// A device failure, or any other reason; see ``FileSystemError/errorNumber``.
    case inputOutput
  }

  /// Why the call failed.
  public var code: Code
  /// The system call, for example `fdatasync`.
  public var operation: String
  /// The path of the file or directory.
  public var path: String
  /// The system's error number; 0 if there is none.
  public var errorNumber: Int32
  /// The process that holds the lock, if it is known.
  public var holder: Int32?

  /// Creates an error.
  public init(code: Code, operation: String, path: String, errorNumber: Int32 = 0, holder: Int32? = nil) {
    self.code = code
    self.operation = operation
    self.path = path
    self.errorNumber = errorNumber
    self.holder = holder
  }
}

extension FileSystemError {
  /// Whether the error concerns the file, rather than a shortage of file descriptors or memory that would affect any
  /// file.
  package var concernsFile: Bool { !SystemCall.isShortage(errorNumber) }

  /// Whether a symbolic link is at the path or on the way, which is not followed.
  var isSymbolicLink: Bool { SystemCall.isSymbolicLink(errorNumber) }

  /// Whether the process or the system has no file descriptor left.
  package var isDescriptorShortage: Bool { SystemCall.isDescriptorShortage(errorNumber) }
}

extension FileSystemError {
  /// The system call and its message, for example `write: File too large`.
  public var message: String {
    "\(operation): " + (errorNumber == 0 ? code.message : SystemCall.message(for: errorNumber))
  }

  /// The path.
  public var location: ErrorLocation { ErrorLocation(path: path) }

  /// The message without the path: errors that wrap this one state the location themselves.
  public var headline: String { message }
}

extension FileSystemError.Code {
  /// The message of an error that has no system error number.
  fileprivate var message: String {
    switch self {
    case .notFound: "the path does not exist"
    case .exists: "the path already exists"
    case .notADirectory: "not a directory"
    case .notEmpty: "the directory is not empty"
    case .notARegularFile: "not a regular file"
    case .permissionDenied: "not permitted"
    case .readOnlyFileSystem: "the file system is read-only"
    case .noSpace: "no space is left"
    case .fileTooLarge: "the file exceeds the size limit"
    case .locked: "another process holds the lock"
    case .inputOutput: "input/output error"
    }
  }
}
