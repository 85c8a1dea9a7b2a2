import AnimalsData

/// How a status is told.
enum StatusText {
  /// - Returns: `nil` for what nobody has to be told.
  static func of(_ status: Status?) -> String? {
    switch status {
    case nil, .empty: nil
    case .waiting: "waiting…"
    case .success: "done"
    case .failure(let error): "failed: \(error)"
    }
  }
}
