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
