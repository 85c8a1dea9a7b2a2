import ActionLog

// What is said of a record whose schema the evolution does not reach.
extension SchemaChain {
  /// A record of a program that is newer than this one.
  func tooNew(_ recorded: Int, model: String, _ site: RecordSite) -> LogError {
    LogError(
      .schemaTooNew,
      "the log was written by schema \(recorded) of '\(model)', this program has schema \(schema)",
      path: site.path,
      seq: site.seq,
      advice: (site.seq > 0 ? "Revisions 0…\(site.seq - 1) can be read. " : "")
        + "Use the program that wrote the log, or a newer one."
    )
  }

  /// A record that is older than the first step of the evolution.
  ///
  /// - Parameter what: What the record holds, for instance `the action`.
  func tooOld(_ recorded: Int, _ what: String, model: String, _ site: RecordSite) -> EventSourcingError {
    EventSourcingError(
      .schemaTooOld,
      "\(what) was recorded by schema \(recorded) of '\(model)', and its evolution begins at schema \(oldest)",
      path: site.path,
      seq: site.seq,
      advice: "Add SchemaStep(from: \(recorded), to: \(recorded + 1), […]) to the model's evolution, or "
        + ".unchanged(from: \(recorded), to: \(recorded + 1)) if the actions are read as they are. "
        + "'action-log compat' says what each type needs."
    )
  }
}
