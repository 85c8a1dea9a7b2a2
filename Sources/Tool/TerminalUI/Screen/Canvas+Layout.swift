/// How long a part of a canvas is.
public enum LayoutLength: Hashable, Sendable {
  /// So many columns or rows, fewer if there are not as many.
  case fixed(Int)
  /// A share of what the fixed parts leave, in proportion to the weight, which is at least 1.
  case flexible(weight: Int = 1)

  /// The lengths of the parts of a whole.
  ///
  /// - Complexity: O(number of parts).
  static func divide(_ total: Int, into parts: [LayoutLength]) -> [Int] {
    var room = max(0, total)
    var weights = 0
    var lengths = parts.map { part -> Int in
      switch part {
      case .fixed(let length):
        let taken = min(max(0, length), room)
        room -= taken
        return taken
      case .flexible(let weight):
        weights += max(1, weight)
        return 0
      }
    }
    for (index, part) in parts.enumerated() {
      guard case .flexible(let weight) = part else { continue }
      // The last one gets what rounding has left.
      let share = room * max(1, weight) / weights
      lengths[index] = share
      room -= share
      weights -= max(1, weight)
    }
    return lengths
  }
}

extension Canvas {
  /// Divides the canvas into parts, one below the other.
  ///
  /// - Parameter heights: The height of each part, from the top.
  /// - Returns: As many canvases.
  public func rows(_ heights: LayoutLength...) -> [Canvas] {
    var row = 0
    return LayoutLength.divide(height, into: heights).map { height in
      defer { row += height }
      return part(row: row, height: height)
    }
  }

  /// Divides the canvas into parts side by side.
  ///
  /// - Parameters:
  ///   - widths: The width of each part, from the left.
  ///   - separator: Whether a line is drawn between the parts, with a space on either side; else they touch.
  /// - Returns: As many canvases.
  public func columns(_ widths: LayoutLength..., separator: Bool = false) -> [Canvas] {
    let gap = separator ? 3 : 0
    var column = 0
    return LayoutLength.divide(width - gap * (widths.count - 1), into: widths).enumerated().map { index, width in
      if separator, index > 0 {
        for row in 0..<height where column + 1 < self.width {
          put("│", row: row, column: column + 1, style: .dim)
        }
        column += gap
      }
      defer { column += width }
      return part(column: column, width: width)
    }
  }

  /// The canvas without its margins.
  ///
  /// - Parameter margin: How many columns and rows are left out on each side.
  public func inset(_ margin: Int) -> Canvas {
    part(row: margin, column: margin, width: max(0, width - 2 * margin), height: max(0, height - 2 * margin))
  }

  /// A rectangle in the middle, for instance for a dialog; smaller if there is no room.
  ///
  /// - Parameters:
  ///   - width: How many columns it has.
  ///   - height: How many rows it has.
  public func centred(width: Int, height: Int) -> Canvas {
    let width = min(width, self.width)
    let height = min(height, self.height)
    return part(row: (self.height - height) / 2, column: (self.width - width) / 2, width: width, height: height)
  }
}
