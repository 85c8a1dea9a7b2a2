import JSONCoding

extension StateTree {
  /// Makes a tree from a state, through its canonical form.
  ///
  /// - Throws: What the state's own coding throws, or `JSONError` when it breaks a rule of the format.
  /// - Complexity: O(size of the state).
  public init(encoding state: some Encodable) throws {
    self.init(try JSONValue(parsing: StrictJSONEncoder(form: .canonical).encode(state)))
  }
}
