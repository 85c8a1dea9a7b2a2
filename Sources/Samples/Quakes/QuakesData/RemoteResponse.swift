package import Foundation
import SampleSupport

/// The used parts of a feed.
///
/// An invalid feature, for instance one with a single coordinate, is skipped and counted: one invalid feature does not
/// invalidate ten thousand others.
package struct RemoteResponse: Hashable, Codable, Sendable {
  package var features: [Feature]
  package var unreadableFeatureCount = 0

  package init(features: [Feature]) {
    self.features = features
  }
}

extension RemoteResponse {
  private enum CodingKeys: String, CodingKey {
    case features
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let features = try container.decode([PossibleFeature].self, forKey: .features)
    self.features = features.compactMap(\.feature)
    self.unreadableFeatureCount = features.count - self.features.count
  }

  /// A feature, or any invalid value.
  private struct PossibleFeature: Decodable {
    let feature: Feature?

    init(from decoder: any Decoder) {
      do { feature = try Feature(from: decoder) } catch { feature = nil }
    }
  }
}

extension RemoteResponse {
  /// One quake in a feed.
  package struct Feature: Hashable, Codable, Sendable {
    package var properties: Properties
    package var geometry: Geometry
    package var id: String

    package init(properties: Properties, geometry: Geometry, id: String) {
      self.properties = properties
      self.geometry = geometry
      self.id = id
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      properties = try container.decode(Properties.self, forKey: .properties)
      geometry = try container.decode(Geometry.self, forKey: .geometry)
      id = try container.decode(String.self, forKey: .id)
    }
  }
}

extension RemoteResponse.Feature {
  package struct Properties: Hashable, Codable, Sendable {
    package var mag: Double?
    package var place: String?
    package var time: Date
    package var updated: Date

    package init(mag: Double?, place: String?, time: Date, updated: Date) {
      self.mag = mag
      self.place = place
      self.time = time
      self.updated = updated
    }
  }

  /// A point in degrees east and north. The depth in the feed is ignored.
  package struct Geometry: Hashable, Codable, Sendable {
    package var longitude: Double
    package var latitude: Double

    package init(longitude: Double, latitude: Double) {
      self.longitude = longitude
      self.latitude = latitude
    }

    private enum CodingKeys: String, CodingKey {
      case coordinates
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var coordinates = try container.nestedUnkeyedContainer(forKey: .coordinates)
      longitude = try coordinates.decode(Double.self)
      latitude = try coordinates.decode(Double.self)
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode([longitude, latitude], forKey: .coordinates)
    }
  }
}

extension RemoteResponse {
  /// Returns a quake for each valid feature, in the order of the feed. A feed whose features are all invalid is not one of
  /// quakes.
  package func quakes(of url: URL?) throws(RemoteStoreError) -> [Quake] {
    guard !features.isEmpty || unreadableFeatureCount == 0 else {
      throw RemoteStoreError(
        .unreadableFeed, "none of the feed's \(unreadableFeatureCount) features can be read",
        path: url?.absoluteString)
    }
    return features.map { feature in feature.quake }
  }
}

extension RemoteResponse.Feature {
  var quake: Quake {
    Quake(
      quakeId: id, magnitude: properties.mag ?? 0, time: properties.time, updated: properties.updated,
      name: properties.place ?? "", longitude: geometry.longitude, latitude: geometry.latitude)
  }
}

extension JSONDecoder.DateDecodingStrategy {
  /// Decodes integral milliseconds since 1970, the format of the feeds, to the nearest `Date`.
  package static var exactMillisecondsSince1970: Self {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = Date(millisecondsSince1970: try container.decode(Int64.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the date is out of range")
      }
      return date
    }
  }
}

extension JSONDecoder {
  /// A decoder for feeds.
  package static var feed: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .exactMillisecondsSince1970
    return decoder
  }
}
