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

/// An open file of a ``FaultyFileSystem``.
final class FaultyFile: LogFile {
  private let base: any LogFile
  private let path: String
  private let files: FaultyFileSystem

  init(_ base: any LogFile, path: String, of files: FaultyFileSystem) {
    self.base = base
    self.path = path
    self.files = files
  }

  func size() throws(FileSystemError) -> Int {
    try files.pass(.size, path)
    return try base.size()
  }

  /// A look at the open file like ``size()``, and counted as one.
  func identity() throws(FileSystemError) -> FileIdentity? {
    try files.pass(.size, path)
    return try base.identity()
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try files.pass(.read, path)
    return try base.read(at: offset, into: buffer)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.append, path)) else { return try base.append(bytes) }
    let count = fault.partialWrite.prefixLength(of: bytes.count)
    if count > 0 { try base.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
    throw error
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.write, path)) else {
      return try base.write(bytes, at: offset)
    }
    if fault.isSilent { return }
    let count = fault.partialWrite.prefixLength(of: bytes.count)
    if count > 0 { try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset) }
    throw error
  }

  func truncate(toBytes count: Int) throws(FileSystemError) {
    try files.perform(FileCall(.truncate, path)) { () throws(FileSystemError) in try base.truncate(toBytes: count) }
  }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    guard let (fault, error) = files.failure(of: FileCall(.sync, path)) else {
      return try base.sync(strength)
    }
    if fault.isSilent { return }
    if fault.losesData { (base as? MemoryFile)?.abandonUnsynced() }
    throw error
  }

  func discardCache() {
    if !files.keepsCache { base.discardCache() }
  }

  func close() { base.close() }
}

/// A call of a file system, as ``FaultyFileSystem`` writes it down.
public struct FileCall: Equatable, Sendable {
  /// The calls that can fail.
  public enum Operation: String, Sendable, CaseIterable {
    case status, names, createDirectory, open, rename, remove, syncDirectory, lock
    case size, read, append, write, truncate, sync
  }

  /// What was called.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// Where a file was renamed to.
  public var newPath: String?

  /// Makes a call from its parts.
  public init(_ operation: Operation, _ path: String, to newPath: String? = nil) {
    self.operation = operation
    self.path = path
    self.newPath = newPath
  }
}

extension FileCall: CustomStringConvertible {
  /// For instance `rename log/a.new log/a`.
  public var description: String {
    ([operation.rawValue, path] + [newPath].compactMap { path in path }).joined(separator: " ")
  }
}

/// A failure that is to come: which call, and how it fails.
public struct Fault: Sendable {
  /// How much of an append or write gets into the file before the error.
  public enum PartialWrite: Sendable, Equatable {
    /// Nothing.
    case none
    /// The first bytes, at most all.
    case bytes(Int)
    /// The first half.
    case half
    /// Everything: only the report is wrong. Creating, renaming, removing and truncating files is then done, too.
    case all

    /// How many of `count` bytes.
    func prefixLength(of count: Int) -> Int {
      switch self {
      case .none: 0
      case .bytes(let bytes): min(bytes, count)
      case .half: count / 2
      case .all: count
      }
    }
  }

  /// The operation that fails; `nil` for any.
  public var operation: FileCall.Operation?
  /// Only calls whose path ends like this count; `nil` for any.
  public var pathSuffix: String?
  /// Which of the calls that match, from 1.
  public var number: Int
  /// Whether all later ones fail too.
  public var lasts: Bool
  /// What the error says.
  public var code: FileSystemError.Code
  /// The number of the system that the error carries.
  public var errorNumber: Int32
  /// How much of the call is done nevertheless.
  public var partialWrite: PartialWrite
  /// Whether a failed synchronisation of a ``MemoryFileSystem`` loses what was written, as Linux does: it is still read,
  /// the next synchronisation succeeds, and the device never gets it.
  public var losesData: Bool
  /// Whether a sync, or a write at an offset, only reports success and does nothing.
  public var isSilent: Bool

  /// Makes a fault; the first call of any kind fails once if nothing else is said.
  public init(
    _ operation: FileCall.Operation? = nil,
    number: Int = 1,
    lasts: Bool = false,
    code: FileSystemError.Code = .inputOutput,
    errorNumber: Int32 = 0,
    pathSuffix: String? = nil,
    partialWrite: PartialWrite = .none,
    losesData: Bool = true,
    isSilent: Bool = false
  ) {
    self.operation = operation
    self.number = number
    self.lasts = lasts
    self.code = code
    self.errorNumber = errorNumber
    self.pathSuffix = pathSuffix
    self.partialWrite = partialWrite
    self.losesData = losesData
    self.isSilent = isSilent
  }

  /// Whether a call that is done completely or not at all is done, although it reports the error.
  var isDone: Bool { partialWrite == .all }

  /// Whether a call counts for this fault.
  func concerns(_ call: FileCall) -> Bool {
    (operation == nil || operation == call.operation)
      && (pathSuffix.map { suffix in call.path.hasSuffix(suffix) } ?? true)
  }
}
