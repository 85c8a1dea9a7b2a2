/// How much a server takes. What is beyond is answered with a status that says so, and the connection is closed.
public struct HTTPLimits: Hashable, Sendable {
  /// The length of a request's first line: 8 000 bytes, the least that RFC 9112 recommends to take. Beyond it: 414.
  public var requestLineBytes = 8_000
  /// The length of all header fields together, and of the trailer: 32 KiB, what browsers with many cookies send. Beyond
  /// it: 431.
  public var headerBytes = 32 << 10
  /// The number of header fields: 100. Beyond it: 431.
  public var headerFields = 100
  /// The length of a body: 1 MiB. Beyond it: 413.
  public var bodyBytes = 1 << 20
  /// The number of connections at a time: 64, a thread each. Others wait in the system's queue until one ends; meanwhile
  /// each connection is closed after its next answer.
  public var connections = 64

  /// Makes the limits that the properties say.
  public init() {}
}
