/// Gives equal values equal numbers, so that aligning them compares numbers.
struct Numbering<Value: Hashable> {
  private var numbers: [Value: Int] = [:]

  /// The number of a value: that of the first equal one.
  ///
  /// - Complexity: O(size of the value).
  mutating func number(of value: Value) -> Int {
    if let number = numbers[value] { return number }
    numbers[value] = numbers.count
    return numbers.count - 1
  }
}
