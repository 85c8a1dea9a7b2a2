import ActionLogTool
import AnimalsData
import Foundation
import Services

extension ToolFailure {
  /// What a store on this device or a server said, with what to do.
  init?(store error: any Error) {
    switch error {
    case let error as LocalStoreError:
      self.init(
        error.code.rawValue, .negative, error.message, path: error.path,
        advice: error.code == .animalNotFound ? ClientCommand.listAdvice : nil)
    case let error as RemoteStoreError:
      self.init(error.code.rawValue, .usage, error.message, path: error.path)
    case let error as RemoteResponseError:
      self.init(error.code.rawValue, .environment, error.message, path: error.path)
    case let error as NetworkSessionError where error.statusCode == 404:
      self.init(
        error.code.rawValue, .environment, "the server has nothing at this address", path: error.url?.absoluteString,
        advice: "'animals-server' tells the address of its animals when it starts. Nothing was changed.")
    case let error as NetworkSessionError:
      self.init(
        error.code.rawValue, .environment, error.description,
        advice: error.code == .transportError ? "Check that 'animals-server' runs there." : nil)
    default: return nil
    }
  }
}
