import EventSourcing

/// The actions around a cursor, read in blocks and kept for a while.
struct ActionWindow<M: Model>: Sendable {
  /// Reading a block costs one search in the log, whatever its length.
  private static var blockLength: Int { 256 }

  /// What a move of 1 000 actions touches, and some more for turning round.
  private static var blockLimit: Int { 8 }

  /// By number; block *b* holds the actions from *b* · length + 1 on. The last one of a history can be shorter.
  private var blocks: [Int: [RecordedAction<M.Action>]] = [:]
  /// The numbers of the blocks, the one that was used last at the end.
  private var order: [Int] = []

  /// The action that leads to a revision.
  ///
  /// - Parameters:
  ///   - lastRevision: The end of the history, beyond which nothing is read.
  ///   - actionsRead: Is raised by the number of actions that had to be read.
  mutating func action(
    at revision: Int, in history: History<M>, lastRevision: Int, actionsRead: inout Int
  ) throws -> RecordedAction<M.Action> {
    let number = (revision - 1) / Self.blockLength
    let place = (revision - 1) % Self.blockLength
    if let block = blocks[number], place < block.count {
      if order.last != number { touch(number) }
      return block[place]
    }
    let first = number * Self.blockLength + 1
    let block = try history.actions(in: first...min(first + Self.blockLength - 1, lastRevision))
    actionsRead += block.count
    blocks[number] = block
    touch(number)
    return block[place]
  }

  private mutating func touch(_ number: Int) {
    order.removeAll { other in other == number }
    order.append(number)
    if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
  }
}
