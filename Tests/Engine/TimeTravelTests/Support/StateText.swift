import JSONCoding
import TimeTravel

/// Reads JSON text that a test writes.
func json(_ text: String) throws -> JSONValue {
  try JSONValue(parsing: text.utf8)
}

/// Reads JSON text that a test writes as a state.
func tree(_ text: String) throws -> StateTree {
  StateTree(try json(text))
}

/// Compares two states that a test writes.
func diff(_ old: String, _ new: String) throws -> StateDiff {
  StateDiff(from: try tree(old), to: try tree(new))
}
