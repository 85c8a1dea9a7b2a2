public import ActionLog

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
