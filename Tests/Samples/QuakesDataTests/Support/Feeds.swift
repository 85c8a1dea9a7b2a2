import Foundation
import Platform
import QuakesData
public import QuakesRemote
public import Services
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Like in an application.
extension NetworkSession: RemoteStoreNetworkSession {}

/// `URLSession` with the host of every URL replaced by a server on this machine.
struct Rerouted: NetworkSessionURLSession {
  private let session = URLSession.patient
  private let server: LoopbackServer
  /// The requested URLs.
  let urls = Locked<[String]>([])

  init(to server: LoopbackServer) {
    self.server = server
  }

  func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    let url = request.url
    urls.withLock { urls in urls.append(url?.absoluteString ?? "") }
    var request = request
    request.url = server.url(url?.path ?? "/")
    return try await session.data(for: request)
  }
}

/// Feeds in the format of the real ones.
enum Feeds {
  static func recorded(_ name: String) throws -> Data {
    guard let url = Bundle.module.url(forResource: name, withExtension: "geojson", subdirectory: "Fixtures") else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try Data(contentsOf: url)
  }

  /// The files, by their path on the real server.
  static func answer(_ path: String) -> LoopbackReply {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard path.hasPrefix("/earthquakes/feed/v1.0/summary/") else { return .answer([], status: 404) }
    do {
      if name == "all_month.geojson" {
        return .answer(generated(count: 10_000), type: "application/json; charset=utf-8")
      }
      return .answer(
        try recorded(String(name.dropLast(".geojson".count))), type: "application/json; charset=utf-8")
    } catch {
      return .answer([], status: 404)
    }
  }

  /// Returns a feed of a month: every 100th quake has no magnitude, every 77th no place, and every 1000th is
  /// duplicated.
  static func generated(count: Int) -> [UInt8] {
    var text = #"{"type":"FeatureCollection","metadata":{"count":\#(count)},"features":["#
    for number in 0..<count {
      if number > 0 { text += ",\n" }
      text += feature(number)
    }
    for number in stride(from: 0, to: count, by: 1_000) { text += ",\n" + feature(number) }
    return Array((text + "]}").utf8)
  }

  private static func feature(_ number: Int) -> String {
    let magnitude = number.isMultiple(of: 100) ? "null" : "\(number % 70 + 1)e-1"
    let place = number.isMultiple(of: 77) ? "null" : #""\#(number % 90) km N of Ōfunato, Japan""#
    let time = 1_795_251_600_000 - number * 259_201
    return """
      {"type":"Feature","properties":{"mag":\(magnitude),"place":\(place),"time":\(time),"updated":\(time + 300_000),\
      "tz":null,"status":"automatic","title":"M"},"geometry":{"type":"Point",\
      "coordinates":[\(Double(number % 360) - 179.5),\(Double(number % 180) - 89.5),10]},"id":"us\(number)"}
      """
  }
}
