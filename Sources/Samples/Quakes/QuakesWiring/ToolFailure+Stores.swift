package import ActionLogTool
import QuakesData
import Services

extension ToolFailure {
  /// What feeds or a store said, with what to do; `nil` for errors that the tool knows itself.
  package init?(quakes error: any Error) {
    switch error {
    case let error as RemoteStoreError:
      let reason = FailureReason(error)
      self.init(error.code.rawValue, .environment, reason.message, path: reason.place, advice: Self.unchanged)
    case let error as NetworkSessionError:
      let reason = FailureReason(error)
      self.init(error.code.rawValue, .environment, reason.message, path: reason.place, advice: Self.unchanged)
    case let error as TimeLimitError:
      self.init(error.code.rawValue, .environment, error.message, path: error.path, advice: Self.unchanged)
    case let error as LocalStoreError:
      self.init(error.code.rawValue, .usage, error.message, path: error.path)
    default: return nil
    }
  }

  private static let unchanged = "What is stored is unchanged. Try again, or use --sample, which needs no network."
}
