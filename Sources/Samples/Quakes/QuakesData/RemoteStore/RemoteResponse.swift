package import Foundation

/// A feed, as far as it is used.
///
/// A feature that cannot be read, for instance one with a single coordinate, is left out and counted: one bad feature
/// of ten thousand must not cost the others.
package struct RemoteResponse: Hashable, Codable, Sendable {
  package var features: [Feature]
  /// How many features were left out.
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

  /// Decodes whatever stands at a feature's place.
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

  /// A point: degrees east, degrees north, and a depth that is not used and not always known.
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
  /// A quake for each feature that can be read, in the feed's order.
  ///
  /// - Parameter url: Where the feed lies.
  /// - Throws: ``RemoteStoreError/Code/unreadableFeed`` when there are features and none can be read: it is not the feed
  ///   that was expected.
  package func quakes(of url: URL?) throws(RemoteStoreError) -> [Quake] {
    guard !features.isEmpty || unreadableFeatureCount == 0 else {
      throw RemoteStoreError(
        .unreadableFeed, "none of the feed's \(unreadableFeatureCount) features can be read", url: url)
    }
    return features.map { feature in feature.quake }
  }
}

extension RemoteResponse.Feature {
  /// The quake that the feature tells of.
  var quake: Quake {
    Quake(
      quakeId: id, magnitude: properties.mag ?? 0, time: properties.time, updated: properties.updated,
      name: properties.place ?? "", longitude: geometry.longitude, latitude: geometry.latitude)
  }
}
