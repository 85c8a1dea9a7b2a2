/// A place for one value while values are encoded: not decided yet, a scalar, or a container.
struct EncodingNode: BitwiseCopyable {
  enum Kind {
    case slot, scalar, object, array
  }

  /// Tells a node from an earlier one at the same index.
  let serial: Int
  /// The index of the container around this value; −1 for the root. Always smaller than the node's own index.
  let parent: Int
  /// Where the member's name begins in the output, or the index in an array.
  var key: Int
  var kind: Kind
  /// Where the value begins in the output.
  var start: Int
  /// Where the value ends in the output; −1 while it is open.
  var end = -1
  /// How many members or elements were begun.
  var count = 0
  /// Where the node's members begin on the stack of members.
  var firstMember = 0
  /// How many elements are sorted as one; 0 if the order is the type's own.
  var unit = 0
  /// How many case steps lead here, if the value may be an enum whose case is the next step; else −1.
  var caseLevel = -1
  /// Which case step this node is the content of; else −1.
  var contentLevel = -1

  init(serial: Int, parent: Int, key: Int, kind: Kind, start: Int) {
    self.serial = serial
    self.parent = parent
    self.key = key
    self.kind = kind
    self.start = start
  }

  var isContainer: Bool { kind == .object || kind == .array }
}

/// What containers and encoders hold of their node.
struct EncodingHandle: BitwiseCopyable {
  let index: Int
  let serial: Int

  /// Stands for a container that could not be opened; its use throws.
  static let invalid = EncodingHandle(index: .max, serial: 0)
}

/// Where a member or a sorted element begins in the output.
struct EncodingMember: BitwiseCopyable {
  var start: Int
  /// The first bytes of the name, unescaped, which settle nearly every comparison.
  var prefix: UInt64 = 0
  /// The length of the name with its quotes; 0 for an element.
  var nameLength: Int
  var nameIsEscaped: Bool
}
