/// A value that is written and read by code of its own, made by `swift package generate-direct-coding`, without the machinery
/// of `Codable`.
///
/// The bytes are those that ``StrictJSONEncoder`` writes, and a value that is read is the one that ``StrictJSONDecoder``
/// reads. Conformances are generated, not written by hand, and nobody calls their requirements but the engine.
public protocol DirectCodable: Codable, SendableMetatype {
  /// Writes the value.
  ///
  /// A writer that meets what generated code cannot write is ``DirectWriter/isDeclined`` afterwards, and its bytes are void.
  func write(directly writer: inout DirectWriter)

  /// Reads a value that stands exactly as the writer writes it.
  ///
  /// - Throws: ``DirectMismatch`` for anything else, whether it is a value of the type or not.
  init(directly reader: inout DirectReader) throws(DirectMismatch)

  /// What is known of the type's coding from the time at which its code was generated.
  static var directShape: DirectShape { get }
}

/// An action whose case path and values are written and read apart, as the log stores them.
///
/// As ``DirectCodable``, it is generated.
public protocol DirectAction: DirectCodable {
  /// Writes the names of the nested cases, with `.` between them, as the content of a string.
  func writeType(directly writer: inout DirectWriter)

  /// Writes the values of the innermost case: a JSON object.
  func writeData(directly writer: inout DirectWriter)

  /// Reads an action from both.
  ///
  /// - Parameters:
  ///   - type: A reader of the case path without quotes, at the part that names a case of this type.
  ///   - data: A reader of the values.
  init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch)

  /// The functions of the type for callers that do not know it.
  ///
  /// The one implementation is below. It is a requirement so that it is compiled where the type is known: generic code would
  /// copy each action several times, which takes longer than reading it (`benchmarks`, "decode action").
  static var directCalls: DirectCalls { get }
}

extension DirectAction {
  /// The functions of the type for callers that do not know it.
  @inlinable
  public static var directCalls: DirectCalls {
    DirectCalls(
      write: { place, writer, between in
        let action = place.assumingMemoryBound(to: Self.self).pointee
        action.writeType(directly: &writer)
        between(&writer)
        action.writeData(directly: &writer)
      },
      read: { type, data, place in
        guard var type = DirectReader(type, form: .declared), var data = DirectReader(data, form: .declared) else {
          return false
        }
        let place = place.assumingMemoryBound(to: Self.self)
        do {
          place.initialize(to: try Self(type: &type, data: &data))
        } catch {
          return false
        }
        if type.isAtEnd, data.isAtEnd { return true }
        place.deinitialize(count: 1)
        return false
      })
  }
}

/// The generated functions of an action type, which take the addresses of actions.
@frozen
public struct DirectCalls: Sendable {
  /// Writes the case path of the action at an address, what a closure writes, and the action's values.
  public let write: @Sendable (UnsafeRawPointer, inout DirectWriter, (inout DirectWriter) -> Void) -> Void
  /// Reads an action from its case path and its values, to the end of each, into memory that holds none; says whether it does then.
  public let read: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Bool

  /// Makes a value from its parts.
  @inlinable
  public init(
    write: @escaping @Sendable (UnsafeRawPointer, inout DirectWriter, (inout DirectWriter) -> Void) -> Void,
    read: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Bool
  ) {
    self.write = write
    self.read = read
  }
}

/// Says that bytes are not exactly those that generated code writes; the value is then read by way of `Codable`.
///
/// It carries nothing: what is wrong, if anything, is for the tolerant decoder to say.
@frozen
public struct DirectMismatch: Error, Sendable {
  /// Makes the error.
  @inlinable
  public init() {}
}
