import AnimalsData
import ImmutableData
import ImmutableUI
import SampleSupport
package import TerminalUI

extension AnimalsScreen {
  private static var wideColumns: Int { 72 }

  /// Draws the screen.
  package func render(on canvas: Canvas) {
    // The keys fit in one row of 93 columns, and in two rows of 50.
    let keyRows = canvas.width >= 93 ? 1 : canvas.width >= 50 ? 2 : 3
    let notice = Notice(problem ?? "", style: .color(.red))
    let rows = canvas.rows(.fixed(1), .flexible(), .fixed(notice.rowCount(in: canvas)), .fixed(keyRows))
    StatusLine("Animals", trailing: StyledText(title)).draw(in: rows[0])
    drawPanes(in: rows[1])
    notice.draw(in: rows[2])
    drawKeys(in: rows[3])
    editor?.draw(in: canvas, status: editor.flatMap { editor in container.status(of: editor.draft) })
    question?.dialog.draw(in: canvas)
    if showsHelp {
      InfoDialog("Keys", keysOf: bindings, below: [.init("↑ ↓ PgUp PgDn", "select")]).draw(in: canvas)
    }
  }

  /// Draws the keys of the question or the form, if one is open, or else of the screen.
  private func drawKeys(in canvas: Canvas) {
    if question != nil {
      KeyBinding.draw(ConfirmDialog.help, in: canvas)
    } else if editor != nil {
      KeyBinding.draw(Form.help, in: canvas)
    } else if showsHelp {
      canvas.write("any key closes", row: 0, style: .dim)
    } else {
      KeyBinding.draw(bindings, in: canvas)
    }
  }

  private func drawPanes(in canvas: Canvas) {
    if canvas.width >= Self.wideColumns {
      let columns = canvas.columns(.fixed(20), .fixed(28), .flexible(), separator: true)
      drawCategories(in: columns[0])
      drawAnimals(in: columns[1])
      drawDetail(in: columns[2])
      return
    }
    switch pane {
    case .categories: drawCategories(in: canvas)
    case .animals: drawAnimals(in: canvas)
    case .detail: drawDetail(in: canvas)
    }
  }

  private func drawTitle(_ title: String, _ status: Status?, in canvas: Canvas, _ pane: Pane) {
    canvas.write(StyledText(title, self.pane == pane ? .bold : .dim), row: 0)
    if status == .waiting, let text = StatusText.of(status) { canvas.writeTrailing(StyledText(text, .dim), row: 0) }
  }

  private func drawCategories(in canvas: Canvas) {
    let list = container.categoryList
    changes.note("CategoryList", ["categories": list.categories, "status": list.status])
    drawTitle(list.title, list.status, in: canvas, .categories)
    let names = Dictionary(list.categories.map { category in (category.id, category.name) }) { first, _ in first }
    categories.draw(list.categories.map(\.id), in: canvas.part(row: 1), isFocused: pane == .categories) { id in
      StyledText(names[id] ?? id)
    }
  }

  private func drawAnimals(in canvas: Canvas) {
    let list = container.animalList(categoryId: categories.selection)
    changes.note("AnimalList", ["category": list.category, "animals": list.animals, "status": list.status])
    drawTitle(list.title ?? "Animals", list.status, in: canvas, .animals)
    if let placeholder = list.placeholder { canvas.paragraph(placeholder, row: 1, style: .dim) }
    let names = Dictionary(list.animals.map { animal in (animal.id, animal.name) }) { first, _ in first }
    animals.draw(list.animals.map(\.id), in: canvas.part(row: 1), isFocused: pane == .animals) { id in
      StyledText(names[id] ?? id)
    }
  }

  private func drawDetail(in canvas: Canvas) {
    let detail = container.animalDetail(animalId: selectedAnimalId)
    changes.note("AnimalDetail", ["animal": detail.animal, "category": detail.category, "status": detail.status])
    drawTitle(detail.content?.animal.name ?? "Animal", detail.status, in: canvas, .detail)
    if let placeholder = detail.placeholder { canvas.paragraph(placeholder, row: 1, style: .dim) }
    for (row, field) in detail.fields.enumerated() { canvas.write("\(field.label): \(field.value)", row: row + 1) }
    guard detail.content != nil else { return }
    let style: CellStyle = detail.areButtonsEnabled ? .plain : .dim
    canvas.write(StyledText("[e \(detail.editTitle)]", style), row: 4)
    canvas.write(StyledText("[d \(detail.deleteTitle)]", style), row: 5)
    if let text = StatusText.of(detail.status), detail.status != .waiting {
      canvas.paragraph(text, row: 7, style: .dim)
    }
  }

  private var problem: String? {
    let failures = [container.categoryList.status, container.animalList(categoryId: categories.selection).status]
      .compactMap { status -> String? in
        guard case .failure = status else { return nil }
        return StatusText.of(status)
      }
    return notices.recordingFailure ?? failures.first ?? notices.last
  }
}

enum StatusText {
  static func of(_ status: Status?) -> String? {
    switch status {
    case nil, .empty: nil
    case .waiting: "waiting…"
    case .success: "done"
    case .failure(let error): "failed: \(error)"
    }
  }
}
