#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

extension URLSession {
  /// A session that waits an hour for an answer: a machine that is busy with other tests never reaches its limit. A test that
  /// is about the limit sets that of its request.
  package static let patient: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 3_600
    return URLSession(configuration: configuration)
  }()
}
