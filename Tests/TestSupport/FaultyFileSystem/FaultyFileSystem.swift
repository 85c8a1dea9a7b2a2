public import ActionLog
import Platform

/// A file system that does what another one does, except for the calls that are to fail, and writes down every call.
///
/// A fault loop counts `n` up from 1 until the operation under test passes without the fault having fired:
///
/// ```swift
/// var n = 1
/// while true {
///   let files = FaultyFileSystem(MemoryFileSystem(), faults: [Fault(number: n)])
///   …
///   if files.firedCount == 0 { break }
///   n += 1
/// }
/// ```
public final class FaultyFileSystem: LogFileSystem {
  /// The faults, how often each was concerned, and the calls.
  private struct Plan: Sendable {
    var faults: [(fault: Fault, seen: Int)] = []
    var calls: [FileCall] = []
    var firedCount = 0

    /// Notes a call and says how it fails, if it does.
    mutating func note(_ call: FileCall) -> Fault? {
      calls.append(call)
      var firing: Fault?
      for index in faults.indices where faults[index].fault.concerns(call) {
        faults[index].seen += 1
        let (fault, seen) = faults[index]
        if firing == nil, seen == fault.number || (fault.lasts && seen > fault.number) { firing = fault }
      }
      if firing != nil { firedCount += 1 }
      return firing
    }
  }

  /// The file system that does the work.
  public let base: any LogFileSystem
  /// Whether requests to discard cached pages are ignored, as Darwin and some network file systems do.
  public let keepsCache: Bool
  private let plan: Locked<Plan>
  private let willCall: (@Sendable (FileCall) -> Void)?

  /// Stands in front of a file system.
  ///
  /// - Parameters:
  ///   - base: The one that does the work.
  ///   - faults: What is to fail. Where several concern a call, the first decides.
  ///   - keepsCache: Whether ``LogFile/discardCache()`` does nothing.
  ///   - willCall: Is told each call before it is made: the place to take copies or crashes of `base`.
  public init(
    _ base: any LogFileSystem, faults: [Fault] = [], keepsCache: Bool = false,
    willCall: (@Sendable (FileCall) -> Void)? = nil
  ) {
    self.base = base
    self.keepsCache = keepsCache
    self.willCall = willCall
    plan = Locked(Plan(faults: faults.map { fault in (fault, 0) }))
  }

  /// The calls so far, those that failed too, in order.
  public var calls: [FileCall] { plan.withLock { plan in plan.calls } }

  /// How many calls were made to fail.
  public var firedCount: Int { plan.withLock { plan in plan.firedCount } }

  /// How many calls of an operation were made.
  public func count(of operation: FileCall.Operation) -> Int {
    calls.count { call in call.operation == operation }
  }

  /// Forgets the calls so far; faults go on counting.
  public func forgetCalls() {
    plan.withLock { plan in plan.calls = [] }
  }

  /// Adds a fault, which counts calls from now on.
  public func add(_ fault: Fault) {
    plan.withLock { plan in plan.faults.append((fault, 0)) }
  }

  /// Takes all faults away: the trouble is over.
  public func heal() {
    plan.withLock { plan in plan.faults = [] }
  }

  /// Notes a call; returns the fault and the error if it is to fail.
  func failure(of call: FileCall) -> (fault: Fault, error: FileSystemError)? {
    willCall?(call)
    return plan.withLock { plan in plan.note(call) }.map { fault in
      let error = FileSystemError(
        code: fault.code, operation: call.operation.rawValue, path: call.path, errorNumber: fault.errorNumber)
      return (fault, error)
    }
  }

  /// Notes a call and throws if it is to fail.
  func pass(_ operation: FileCall.Operation, _ path: String, to newPath: String? = nil) throws(FileSystemError) {
    if let failure = failure(of: FileCall(operation, path, to: newPath)) { throw failure.error }
  }

  /// Makes a call, unless it is to fail; where only its report is wrong, it is made and fails.
  func perform<Result>(
    _ call: FileCall, _ body: () throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    guard let (fault, error) = failure(of: call) else { return try body() }
    if fault.isDone { _ = try body() }
    throw error
  }
}

extension FaultyFileSystem {
  /// What lies at a path, unless it is to fail.
  public func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try pass(.status, path)
    return try base.status(of: path)
  }

  /// The names in a directory, unless it is to fail.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try pass(.names, directory)
    return try base.names(in: directory)
  }

  /// Makes a directory, unless it is to fail.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try perform(FileCall(.createDirectory, path)) { () throws(FileSystemError) in try base.createDirectory(path) }
  }

  /// Opens a file whose calls can fail too, unless it is to fail.
  public func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    let file = try perform(FileCall(.open, path)) { () throws(FileSystemError) in try base.open(path, for: access) }
    return FaultyFile(file, path: path, of: self)
  }

  /// Renames a file, unless it is to fail.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try perform(FileCall(.rename, path, to: newPath)) { () throws(FileSystemError) in
      try base.rename(path, to: newPath)
    }
  }

  /// Renames a file to a name that is free, unless it is to fail; a call of ``FileCall/Operation/rename``, too.
  public func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try perform(FileCall(.rename, path, to: newPath)) { () throws(FileSystemError) in
      try base.renameWithoutReplacing(path, to: newPath)
    }
  }

  /// Removes a file, unless it is to fail.
  public func remove(_ path: String) throws(FileSystemError) {
    try perform(FileCall(.remove, path)) { () throws(FileSystemError) in try base.remove(path) }
  }

  /// The way to a path; a look that is not counted, and does not fail.
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }

  /// Makes the entries of a directory durable, unless it is to fail.
  public func syncDirectory(_ path: String) throws(FileSystemError) {
    if let (fault, error) = failure(of: FileCall(.syncDirectory, path)) {
      if fault.isSilent { return }
      throw error
    }
    try base.syncDirectory(path)
  }

  /// Takes the lock on a directory, unless it is to fail.
  public func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try pass(.lock, directory)
    return try base.lock(directory: directory)
  }
}
