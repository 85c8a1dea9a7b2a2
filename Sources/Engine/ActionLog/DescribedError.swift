public import JSONCoding

/// An error that states what failed, where, what is intact, and what to do.
///
/// Every public error of this package adopts the protocol, so that a program shows any of them without a switch over types:
///
/// ```swift
/// func show(_ error: any Error) {
///   guard let error = error as? any DescribedError else { return alert.show(title: "\(error)") }
///   alert.show(title: error.headline, text: error.guidance?.description)
///   telemetry.count(error.codeName)
/// }
/// ```
///
/// Errors of reducers can adopt it, too. A `@rejected` record keeps the code and the pointer of the location:
///
/// ```swift
/// struct AccountClosed: DescribedError {
///   enum Code: String { case accountClosed }
///
///   let id: String
///   var code: Code { .accountClosed }
///   var message: String { "the account is closed" }
///   var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["accounts", id])) }
/// }
/// ```
///
/// Only ``code`` and ``message`` are required. ``headline`` and `description` are built from the parts.
public protocol DescribedError: Error, CustomStringConvertible {
  /// The failures that callers distinguish, as an enumeration with raw values.
  associatedtype Code: RawRepresentable<String>, Sendable

  /// The kind of failure. Programs branch on it; all texts are for users and may change.
  var code: Code { get }

  /// The failure: one sentence or fragment in lower case, without the location.
  var message: String { get }

  /// The location of the failure. Empty by default.
  var location: ErrorLocation { get }

  /// The things that are still valid, in complete sentences: actions that can be read, files that did not change. `nil` by default.
  var intact: String? { get }

  /// Advice on what to do, in complete sentences, which can refer to operations. `nil` by default.
  var advice: MessageText? { get }

  /// The error that caused this one. `nil` by default.
  var underlying: (any Error)? { get }

  /// The text of ``underlying``, if ``message`` does not contain it. `nil` by default.
  var cause: String? { get }

  /// The failure, its location and its cause in one line: by default ``message``, ``location`` and ``cause``, separated by colons.
  var headline: String { get }
}

extension DescribedError {
  /// The name of the code, for logs, JSON and telemetry. Names do not change.
  public var codeName: String { code.rawValue }

  /// An empty location.
  public var location: ErrorLocation { ErrorLocation() }

  /// `nil`.
  public var intact: String? { nil }

  /// `nil`.
  public var advice: MessageText? { nil }

  /// `nil`.
  public var underlying: (any Error)? { nil }

  /// `nil`.
  public var cause: String? { nil }

  /// The message, the location and the cause, separated by colons.
  public var headline: String {
    [message, location.description, cause ?? ""].filter { part in !part.isEmpty }.joined(separator: ": ")
  }

  /// The sentences of ``intact`` and ``advice``; `nil` if there are none.
  public var guidance: MessageText? {
    let sentences = MessageText.sentences(intact.map { intact in MessageText(intact) }, advice)
    return sentences.isEmpty ? nil : sentences
  }

  /// The headline and the guidance, for example `checksum mismatch: animals/0000000000000001.jsonl:48, seq 47, byte 5120.
  /// Actions 1…46 are intact. Run 'verify' for the full report.`
  public var description: String { text.description }

  /// The headline and the guidance, with references to operations.
  package var text: MessageText {
    guidance.map { guidance in "\(headline). \(guidance)" } ?? MessageText(headline)
  }
}

/// The location of an error: in a file, at a revision of a log, in a document, or several of them.
public struct ErrorLocation: Hashable, Sendable {
  /// The file or directory, or the address of a server.
  public var path: String?
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The revision at that location, or the one expected there.
  public var revision: Int?
  /// The value in a document or a state. For an error of a reducer, the value that caused the refusal; for a missing value, the
  /// location where it would be.
  public var pointer: JSONPointer?
  /// The offset of the first invalid byte, or of its line, counted from 0.
  public var byteOffset: Int?

  /// Creates a location; without arguments, an empty one.
  public init(
    path: String? = nil, line: Int? = nil, revision: Int? = nil, pointer: JSONPointer? = nil, byteOffset: Int? = nil
  ) {
    self.path = path
    self.line = line
    self.revision = revision
    self.pointer = pointer
    self.byteOffset = byteOffset
  }
}

extension ErrorLocation: CustomStringConvertible {
  /// The known parts, for example `animals/0000000000000001.jsonl:48, seq 47, byte 5120`. A long pointer is shortened in the
  /// middle.
  public var description: String {
    var parts: [String] = []
    if let path {
      parts.append(line.map { line in "\(path):\(line)" } ?? path)
    } else if let line {
      parts.append("line \(line)")
    }
    if let revision { parts.append("seq \(revision)") }
    if let pointer { parts.append(pointer.tokens.isEmpty ? "at the root" : "at \(pointer.excerpt)") }
    if let byteOffset { parts.append("byte \(byteOffset)") }
    return parts.joined(separator: ", ")
  }
}

extension JSONError: DescribedError {
  /// The byte and the path.
  public var location: ErrorLocation { ErrorLocation(pointer: path, byteOffset: byteOffset) }
}
