import ActionLogTool
import AnimalsData
import Services

extension ToolFailure {
  /// What a store on this device or a server said, with what to do.
  init?(store error: any Error) {
    switch error {
    case let error as LocalStoreError:
      self.init(
        error.code.rawValue, .negative, error.message, path: error.path,
        advice: error.code == .animalNotFound ? "'animals-client list' shows the ids." : nil)
    case let error as RemoteStoreError:
      self.init(error.code.rawValue, .usage, error.message, path: error.path)
    case let error as RemoteResponseError:
      self.init(error.code.rawValue, .environment, error.message, path: error.path)
    case let error as NetworkSessionError:
      self.init(
        error.code.rawValue, .environment, error.description,
        advice: error.code == .transportError ? "Check that 'animals-server' runs there." : nil)
    default: return nil
    }
  }
}
