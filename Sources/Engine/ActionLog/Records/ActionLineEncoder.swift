internal import JSONCoding

/// Writes actions as lines with checksum and chain, as the writer of a log does, without a log: what the benchmark
/// `encode line, direct` measures.
package struct ActionLineEncoder<Action: Codable>: ~Copyable {
  private let coder = ActionCoder<Action>()
  private var text = ActionText()
  private var lines = LineEncoder()
  /// Room for a line; it grows to the longest.
  private var room = [UInt8](repeating: 0, count: 4_096)

  package init() {}

  /// Appends one line with its line feed.
  ///
  /// - Returns: The checksum of the line.
  /// - Throws: As `ActionCoding.encode(_:)`.
  /// - Complexity: O(size of the action).
  package mutating func append(
    _ action: borrowing Action, seq: Int, time: LogTime, synced: Int, prev: UInt32, to output: inout [UInt8]
  ) throws -> UInt32 {
    text.writer.truncate(to: 0)
    let typeSize = try coder.append(action, to: &text.writer).typeSize
    let limit = LineEncoder.sizeLimit(type: typeSize, data: text.writer.count - typeSize, meta: 0)
    if room.count < limit { room = [UInt8](repeating: 0, count: 2 * limit) }
    return text.writer.withUnsafeBytes { text in
      room.withUnsafeMutableBytes { room in
        // Room of more than no bytes has an address, and it holds what `limit` says.
        let start = room.baseAddress.unsafelyUnwrapped
        let line = lines.write(
          seq: seq, time: time, type: UnsafeRawBufferPointer(rebasing: text[..<typeSize]), synced: synced, prev: prev,
          data: UnsafeRawBufferPointer(rebasing: text[typeSize...]), meta: nil, to: start)
        output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: line.size))
        return line.crc
      }
    }
  }
}
