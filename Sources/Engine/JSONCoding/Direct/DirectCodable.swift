/// A value with reading and writing code of its own, which does not use `Codable`.
///
/// The bytes are the same as with ``StrictJSONEncoder``, and the values as with ``StrictJSONDecoder``. `swift package
/// generate-direct-coding` generates conformances. A type with a hand-written `Codable` conformance also needs a
/// hand-written one: <doc:DirectCoding> shows an example. Only the engine and other conformances call the requirements.
public protocol DirectCodable: Codable, SendableMetatype {
  /// Writes the value.
  ///
  /// If generated code cannot write a value, the writer is ``DirectWriter/isDeclined`` afterward, and its bytes are
  /// invalid.
  func write(directly writer: inout DirectWriter)

  /// Reads a value that is written exactly as the writer writes it.
  ///
  /// - Throws: ``DirectMismatch`` for anything else, whether it is a value of the type or not.
  init(directly reader: inout DirectReader) throws(DirectMismatch)

  /// The properties of the type's coding at the time its code was generated.
  static var directShape: DirectShape { get }
}

/// An action whose case path and values are written and read separately, in the form stored in the log.
///
/// Like ``DirectCodable``, it is generated.
public protocol DirectAction: DirectCodable {
  /// Writes the names of the nested cases, with `.` between them, as the content of a string.
  func writeType(directly writer: inout DirectWriter)

  /// Writes the values of the innermost case: a JSON object.
  func writeData(directly writer: inout DirectWriter)

  /// Reads an action from its case path and its values.
  ///
  /// - Parameters:
  ///   - type: A reader of the case path without quotes, at the part that names a case of this type.
  ///   - data: A reader of the values.
  init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch)

  /// The functions of the type for callers that are not generic over it.
  ///
  /// The only implementation is below. It is a requirement so that it is compiled where the type is known: generic code
  /// would copy each action several times, which takes longer than reading it (benchmark `decode line, direct`).
  static var directCalls: DirectCalls { get }
}

extension DirectAction {
  /// The functions of the type for callers that are not generic over it.
  @inlinable
  public static var directCalls: DirectCalls {
    DirectCalls(
      write: { place, writer in
        let start = writer.count
        var typeCount = 0
        DirectCalls.withBorrowed(place.assumingMemoryBound(to: Self.self)) { action in
          writer.literal("\"")
          action.writeType(directly: &writer)
          writer.literal("\"")
          typeCount = writer.count &- start
          action.writeData(directly: &writer)
        }
        return typeCount
      },
      read: { type, data, strings, place in
        guard var type = DirectReader(type, form: .declared, strings: nil),
          var reader = DirectReader(
            data, form: .declared, strings: strings, slack: strings == nil ? 0 : DirectCalls.slackBytes)
        else { return 0 }
        let place = place.assumingMemoryBound(to: Self.self)
        do {
          place.initialize(to: try Self(type: &type, data: &reader))
        } catch {
          return 0
        }
        if type.isAtEnd { return reader.count(from: data) }
        place.deinitialize(count: 1)
        return 0
      })
  }
}

/// The generated functions of an action type, which take the addresses of actions.
@frozen
public struct DirectCalls: Sendable {
  /// Writes the case path of the action at an address, as a string, and its values. Returns the length of the string.
  public let write: Write
  /// Reads an action from its complete case path and from bytes that begin with its values, into uninitialized memory.
  /// Returns the length of the values, or 0 if the memory is still uninitialized. With strings to reuse, ``slackBytes``
  /// bytes after the values are read, too.
  public let read: Read

  /// The number of bytes after the values that are read if there are strings to reuse.
  @inlinable public static var slackBytes: Int { 16 }

  /// Creates a value from its parts.
  @inlinable
  public init(write: @escaping Write, read: @escaping Read) {
    self.write = write
    self.read = read
  }

  /// Calls a closure with the value at an address without copying it: a copy of an action takes as long as writing it.
  ///
  /// The noncopyable type parameter keeps the compiler from copying the value.
  @inlinable @inline(__always)
  static func withBorrowed<Value: ~Copyable>(
    _ place: UnsafePointer<Value>, _ body: (borrowing Value) -> Void
  ) {
    body(place.pointee)
  }

  /// A function that writes an action.
  public typealias Write = @Sendable (_ place: UnsafeRawPointer, _ writer: inout DirectWriter) -> Int

  /// A function that reads an action.
  public typealias Read =
    @Sendable (
      _ type: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer, _ strings: DirectStrings?,
      _ place: UnsafeMutableRawPointer
    ) -> Int
}

/// The error for bytes that are not exactly those that generated code writes. The value is then decoded with `Codable`.
///
/// It has no details: the general decoder reports what is wrong, if anything.
@frozen
public struct DirectMismatch: Error, Sendable {
  /// Creates the error.
  @inlinable
  public init() {}
}
