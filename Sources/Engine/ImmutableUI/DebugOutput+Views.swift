import ImmutableData

extension DebugOutput {
  /// Writes what a listener does, if it has a label and the flag `com.northbronson.ImmutableUI.Debug` is set.
  func note(_ event: String, label: String?, of listener: AnyObject) {
    guard let label else { return }
    write("ImmutableUI") { ["[ImmutableUI][AsyncListener]: \(address(of: listener)) \(event): \(label)"] }
  }
}

/// Writes which properties of a view changed since it was drawn last, in the form of SwiftUI's `_printChanges()`.
///
/// The guide's views call `_printChanges()` if the flag of their module is set. A screen in the terminal has no views that are
/// evaluated one by one, so it reports the properties of its parts to this object each time it is drawn.
@MainActor package final class ViewChanges {
  private let module: String
  private let output = DebugOutput.current
  private var drawn: [String: [String: AnyHashable]] = [:]

  /// Creates an object without recorded views.
  package init(module: String) {
    self.module = module
  }

  /// Writes one line if a property differs from what was drawn last, or if the view is drawn for the first time.
  package func note(_ view: String, _ properties: @autoclosure () -> KeyValuePairs<String, any Hashable>) {
    output.write(module) {
      let properties = properties()
      let last = drawn[view]
      drawn[view] = [String: AnyHashable](
        properties.map { name, value in (name, AnyHashable(value)) }, uniquingKeysWith: { first, _ in first })
      guard let last else { return ["\(view): @self, @identity changed."] }
      let changed = properties.filter { name, value in last[name] != AnyHashable(value) }.map(\.key)
      return changed.isEmpty ? [] : ["\(view): \(changed.joined(separator: ", ")) changed."]
    }
  }
}

/// Returns the address of an object as `0x` and 16 hexadecimal digits, to distinguish instances in debug output.
package func address(of object: AnyObject) -> String {
  let digits = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
}
