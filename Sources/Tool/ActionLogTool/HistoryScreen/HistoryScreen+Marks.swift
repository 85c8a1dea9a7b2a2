import TimeTravel

// Points with names.
extension HistoryScreen {
  /// Goes to the mark before or after.
  func goToMark(_ step: Int) {
    let (here, last) = (here, last)
    let revisions = marks.map(\.revision).filter { revision in revision <= last }.sorted()
    let found =
      step > 0
      ? revisions.first { revision in revision > here } : revisions.last { revision in revision < here }
    if let found { go(to: found) } else { tell(marks.isEmpty ? "the log has no marks" : "there is no mark further on") }
  }

  /// Gives the revision where the person is a name, beside the log, and looks at all marks anew: others make some, too.
  func mark(_ name: String, remark: String) {
    let (desk, here) = (desk, here)
    ask("marking revision \(here)") { _ in
      let mark = try desk.mark(name, here, remark.isEmpty ? nil : remark)
      return (mark: mark, marks: try desk.marks())
    } take: { [self] answer in
      switch answer {
      case .success(let answer):
        marks = answer.marks
        tell("revision \(answer.mark.revision) is called \(answer.mark.name)")
      case .failure(let error): tell(error)
      }
    }
  }
}
