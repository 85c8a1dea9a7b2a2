public import JSONCoding

/// An error of a reducer that names the value of the state because of which it refused the action.
///
/// ```swift
/// struct AccountClosed: PlacedError {
///   let id: String
///   var place: JSONPointer { JSONPointer(["accounts", id]) }
/// }
/// ```
///
/// A `@rejected` record keeps the place, so that a reader of the log can ask what happened to that value before. The record
/// itself follows the revision whose state refused the action.
public protocol PlacedError: Error {
  /// A JSON Pointer (RFC 6901) into the encoded state. A value that is missing there is named by the place at which it would be.
  var place: JSONPointer { get }
}
