public import ActionLog
import Platform

/// A file system that forwards to another one, records every call, and lets selected calls fail.
///
/// A fault loop counts `number` up from 1 until the operation under test passes without a fault:
///
/// ```swift
/// var number = 0
/// var hasFailed = true
/// while hasFailed {
///   number += 1
///   let files = FaultyFileSystem(MemoryFileSystem(), faults: [FileFault(number: number)])
///   …
///   hasFailed = files.firedCount > 0
/// }
/// ```
public final class FaultyFileSystem: LogFileSystem {
  /// The faults, the number of matching calls of each, and all calls.
  private struct Plan: Sendable {
    var faults: [(fault: FileFault, seen: Int)] = []
    var calls: [FileCall] = []
    var firedCount = 0

    mutating func note(_ call: FileCall) -> FileFault? {
      calls.append(call)
      var firing: FileFault?
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

  /// Creates a file system in front of another one.
  ///
  /// - Parameters:
  ///   - base: The file system that performs the calls.
  ///   - faults: The faults. If several match a call, the first one is used.
  ///   - keepsCache: Whether `LogFile.discardCache()` does nothing.
  ///   - willCall: A function that is called before each call, for instance to copy `base` or to crash it.
  public init(
    _ base: any LogFileSystem, faults: [FileFault] = [], keepsCache: Bool = false,
    willCall: (@Sendable (FileCall) -> Void)? = nil
  ) {
    self.base = base
    self.keepsCache = keepsCache
    self.willCall = willCall
    plan = Locked(Plan(faults: faults.map { fault in (fault, 0) }))
  }

  /// The calls so far in order, including failed ones.
  public var calls: [FileCall] { plan.withLock { plan in plan.calls } }

  /// The number of calls that a fault made fail.
  public var firedCount: Int { plan.withLock { plan in plan.firedCount } }

  /// Returns the number of calls of an operation.
  public func count(of operation: FileCall.Operation) -> Int {
    calls.count { call in call.operation == operation }
  }

  /// Clears the recorded calls. Faults keep their counts.
  public func forgetCalls() {
    plan.withLock { plan in plan.calls = [] }
  }

  /// Adds a fault that counts calls from now on.
  public func add(_ fault: FileFault) {
    plan.withLock { plan in plan.faults.append((fault, 0)) }
  }

  /// Removes all faults.
  public func heal() {
    plan.withLock { plan in plan.faults = [] }
  }

  func failure(of call: FileCall) -> (fault: FileFault, error: FileSystemError)? {
    willCall?(call)
    return plan.withLock { plan in plan.note(call) }.map { fault in
      let error = FileSystemError(
        code: fault.code, operation: call.operation.rawValue, path: call.path, errorNumber: fault.errorNumber)
      return (fault, error)
    }
  }

  func pass(_ operation: FileCall.Operation, _ path: String, to newPath: String? = nil) throws(FileSystemError) {
    if let failure = failure(of: FileCall(operation, path, to: newPath)) { throw failure.error }
  }

  /// Performs a call unless it must fail. If only its result is wrong, it is performed and then fails.
  func perform<Result>(
    _ call: FileCall, _ body: () throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    guard let (fault, error) = failure(of: call) else { return try body() }
    if fault.isDone { _ = try body() }
    throw error
  }
}

extension FaultyFileSystem {
  /// Returns the status of a path, unless the call must fail.
  public func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try pass(.status, path)
    return try base.status(of: path)
  }

  /// Returns the names in a directory, unless the call must fail.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try pass(.names, directory)
    return try base.names(in: directory)
  }

  /// Creates a directory, unless the call must fail.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try perform(FileCall(.createDirectory, path)) { () throws(FileSystemError) in try base.createDirectory(path) }
  }

  /// Opens a file whose calls can fail as well, unless the call must fail.
  public func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    let file = try perform(FileCall(.open, path)) { () throws(FileSystemError) in try base.open(path, for: access) }
    return FaultyFile(file, path: path, of: self)
  }

  /// Renames a file, unless the call must fail.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try perform(FileCall(.rename, path, to: newPath)) { () throws(FileSystemError) in
      try base.rename(path, to: newPath)
    }
  }

  /// Renames a file to an unused name, unless the call must fail. It counts as ``FileCall/Operation/rename``.
  public func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try perform(FileCall(.rename, path, to: newPath)) { () throws(FileSystemError) in
      try base.renameWithoutReplacing(path, to: newPath)
    }
  }

  /// Removes a file, unless the call must fail.
  public func remove(_ path: String) throws(FileSystemError) {
    try perform(FileCall(.remove, path)) { () throws(FileSystemError) in try base.remove(path) }
  }

  /// Returns the canonical path. This call is not recorded and never fails.
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }

  /// Copies permissions. This call is not recorded, and fails only if that of the base does.
  public func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    try base.copyPermissions(from: path, to: newPath)
  }

  /// Syncs a directory, unless the call must fail.
  public func syncDirectory(_ path: String) throws(FileSystemError) {
    if let (fault, error) = failure(of: FileCall(.syncDirectory, path)) {
      if fault.isSilent { return }
      throw error
    }
    try base.syncDirectory(path)
  }

  /// Locks a directory, unless the call must fail.
  public func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try pass(.lock, directory)
    return try base.lock(directory: directory)
  }
}

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

  /// Returns the identity of the open file, counted like ``size()``.
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

/// A call recorded by a ``FaultyFileSystem``.
public struct FileCall: Equatable, Sendable {
  /// The calls that can fail.
  public enum Operation: String, Sendable, CaseIterable {
    case status, names, createDirectory, open, rename, remove, syncDirectory, lock
    case size, read, append, write, truncate, sync
  }

  /// The operation.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The new path of a renamed file.
  public var newPath: String?

  /// Creates a call from its parts.
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

/// A fault: which operation fails, at which call, with which error.
///
/// ```swift
/// FileFault(.sync)                                        // the first sync fails with an input/output error
/// FileFault(.append, number: 3, code: .noSpace)           // the third append
/// FileFault(.open, lasts: true, pathSuffix: "/HEAD")      // every attempt to open HEAD
/// FileFault.stop(atCall: 12)                              // the twelfth call and every later one, whatever they are
/// ```
public struct FileFault: Sendable {
  /// The part of an append or write that is performed before the error.
  public enum PartialWrite: Sendable, Equatable {
    /// Nothing.
    case none
    /// The first bytes, at most all of them.
    case bytes(Int)
    /// The first half.
    case half
    /// Everything: only the result is wrong. Creating, renaming, removing and truncating files is then performed as
    /// well.
    case all

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
  /// The suffix of matching paths; `nil` for any path.
  public var pathSuffix: String?
  /// The number of the failing call among the matching ones, from 1.
  public var number: Int
  /// Whether all later matching calls fail as well.
  public var lasts: Bool
  /// The code of the error.
  public var code: FileSystemError.Code
  /// The system error number.
  public var errorNumber: Int32
  /// The part of the call that is performed.
  public var partialWrite: PartialWrite
  /// Whether a failed sync of a ``MemoryFileSystem`` discards the written data, as on Linux: it can still be read, the
  /// next sync succeeds, but the data never reaches the device.
  public var losesData: Bool
  /// Whether a sync, or a write at an offset, only reports success and does nothing.
  public var isSilent: Bool

  /// Creates a fault. By default, the first call of any operation fails once, with an input/output error and without effect.
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

  /// Returns a fault that makes a call fail and every later one, of any operation: the machine stops at that call.
  public static func stop(atCall number: Int, partialWrite: PartialWrite = .none) -> FileFault {
    FileFault(number: number, lasts: true, partialWrite: partialWrite)
  }

  /// Whether an atomic call is performed although it reports an error.
  var isDone: Bool { partialWrite == .all }

  func concerns(_ call: FileCall) -> Bool {
    (operation == nil || operation == call.operation)
      && (pathSuffix.map { suffix in call.path.hasSuffix(suffix) } ?? true)
  }
}
