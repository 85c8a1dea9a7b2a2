// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.
//
// swift-format-ignore-file

public import JSONCoding

// MARK: CounterAction

extension CounterAction: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    switch self {
    case .didTapIncrementButton:
      writer.literal(#"{"didTapIncrementButton":{}}"#)
    case .didTapDecrementButton:
      writer.literal(#"{"didTapDecrementButton":{}}"#)
    }
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    self = try read1(&reader)
  }

  public static let directShape = DirectShape(
    of: Self.self, members: nil,
    samples: [
      #"{"didTapIncrementButton":{}}"#,
      #"{"didTapDecrementButton":{}}"#,
    ],
    parts: { [] }
  )
}

private func read1(_ reader: inout DirectReader) throws(DirectMismatch) -> CounterAction {
  try reader.enter()
  defer { reader.leave() }
  if reader.accept(#"{"didTapIncrementButton":{}}"#) {
    return .didTapIncrementButton
  }
  if reader.accept(#"{"didTapDecrementButton":{}}"#) {
    return .didTapDecrementButton
  }
  throw DirectMismatch()
}

extension CounterAction: DirectAction {
  public func writeType(directly writer: inout DirectWriter) {
    switch self {
    case .didTapIncrementButton: writer.literal("didTapIncrementButton")
    case .didTapDecrementButton: writer.literal("didTapDecrementButton")
    }
  }

  public func writeData(directly writer: inout DirectWriter) {
    switch self {
    case .didTapIncrementButton:
      writer.literal("{}")
    case .didTapDecrementButton:
      writer.literal("{}")
    }
  }

  public init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    self = try action1(&type, &data)
  }
}

private func action1(
  _ type: inout DirectReader, _ data: inout DirectReader
) throws(DirectMismatch) -> CounterAction {
  if type.acceptLast("didTapIncrementButton") {
    try data.literal("{}")
    return .didTapIncrementButton
  }
  if type.acceptLast("didTapDecrementButton") {
    try data.literal("{}")
    return .didTapDecrementButton
  }
  throw DirectMismatch()
}

// MARK: CounterState

extension CounterState: DirectCodable {
  public func write(directly writer: inout DirectWriter) {
    guard writer.enter() else { return }
    writer.literal(#"{"value":"#)
    writer.required(self.value)
    writer.literal("}")
    writer.leave()
  }

  public init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.enter()
    try reader.literal(#"{"value":"#)
    self.value = try reader.value()
    try reader.literal("}")
    reader.leave()
  }

  public static let directShape = DirectShape(
    of: Self.self, members: ["value"],
    samples: [
      #"{"value":0}"#,
      #"{"value":1}"#,
      #"{"value":-1}"#,
    ],
    parts: { [] }
  )
}
