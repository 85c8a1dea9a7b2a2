extension Results {
  /// The table of targets as Markdown, with its conditions and the measurements behind it.
  package var targetsPage: String {
    """
    \(conditions?.line ?? "")

    \(targets.table.markdown)

    \(targets.summary)

    \(measurements.table.markdown)
    """
  }
}
