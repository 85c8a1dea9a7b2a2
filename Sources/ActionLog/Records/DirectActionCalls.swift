import JSONCoding

/// The generated code of an action type, as closures: calling one costs a few instructions, finding it a search.
struct DirectActionCalls<Action>: Sendable {
  let writeType: @Sendable (borrowing Action, inout DirectWriter) -> Void
  let writeData: @Sendable (borrowing Action, inout DirectWriter) -> Void
  let read: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Action?

  /// Looks generated code up.
  ///
  /// - Returns: `nil` if there is none, or it was made for another shape of the type.
  init?() {
    guard let type = Action.self as? any DirectAction.Type, DirectShape.isCurrent(type) else { return nil }
    self = DirectActionCalls.make(type)
  }

  private init(
    writeType: @escaping @Sendable (borrowing Action, inout DirectWriter) -> Void,
    writeData: @escaping @Sendable (borrowing Action, inout DirectWriter) -> Void,
    read: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Action?
  ) {
    self.writeType = writeType
    self.writeData = writeData
    self.read = read
  }

  private static func make<Known: DirectAction>(_ known: Known.Type) -> DirectActionCalls {
    precondition(Known.self == Action.self, "a type was looked up as another one")
    return DirectActionCalls(
      writeType: { action, writer in
        // The two names are of one type, as was checked above.
        withUnsafePointer(to: action) { pointer in
          UnsafeRawPointer(pointer).assumingMemoryBound(to: Known.self).pointee.writeType(directly: &writer)
        }
      },
      writeData: { action, writer in
        withUnsafePointer(to: action) { pointer in
          UnsafeRawPointer(pointer).assumingMemoryBound(to: Known.self).pointee.writeData(directly: &writer)
        }
      },
      read: { type, data in
        guard let action = known.read(type: type, data: data) else { return nil }
        return unsafeBitCast(action, to: Action.self)
      }
    )
  }
}

extension DirectAction {
  /// Reads an action from both of its parts, to the end of each.
  fileprivate static func read(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) -> Self? {
    DirectReader.read(type) { type throws(DirectMismatch) in
      var rest: Self?
      rest = DirectReader.read(data) { data throws(DirectMismatch) in try Self(type: &type, data: &data) }
      guard let rest else { throw DirectMismatch() }
      return rest
    }
  }
}
