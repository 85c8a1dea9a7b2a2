import TimeTravel

/// Reads JSON text that a test writes as a state.
func tree(_ text: String) throws -> StateTree {
  try StateTree(parsing: text.utf8)
}

/// Compares two states that a test writes.
func diff(_ old: String, _ new: String) throws -> StateDiff {
  StateDiff(from: try tree(old), to: try tree(new))
}
