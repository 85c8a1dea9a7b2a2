/// The slot of one value during encoding: undecided, a scalar, or a container.
struct EncodingNode: BitwiseCopyable {
  enum Kind {
    case slot, scalar, object, array
  }

  /// Distinguishes a node from an earlier one at the same index.
  let serial: Int
  /// The index of the container around this value; −1 for the root. Always smaller than the node's own index.
  let parent: Int
  /// The start of the member's name in the output, or the index in an array.
  var key: Int
  var kind: Kind
  /// The start of the value in the output.
  var start: Int
  /// The end of the value in the output; −1 while it is open.
  var end = -1
  /// The number of members or elements that were begun.
  var count = 0
  /// The start of the node's members on the stack of members.
  var firstMember = 0
  /// The number of elements that are sorted as one; 0 if the type determines the order.
  var unit = 0
  /// The number of case steps to this node, if the value may be an enum whose case is the next step; otherwise −1.
  var caseLevel = -1
  /// The case step whose content this node is; otherwise −1.
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

/// The reference of containers and encoders to their node.
struct EncodingHandle: BitwiseCopyable {
  let index: Int
  let serial: Int

  /// The handle of a container that could not be opened. Using it throws.
  static let invalid = EncodingHandle(index: .max, serial: 0)
}

/// The start of a member or a sorted element in the output.
struct EncodingMember: BitwiseCopyable {
  var start: Int
  /// The first unescaped bytes of the name, which decide nearly every comparison.
  var prefix: UInt64 = 0
  /// The length of the name with its quotes; 0 for an element.
  var nameLength: Int
  var nameIsEscaped: Bool
}
