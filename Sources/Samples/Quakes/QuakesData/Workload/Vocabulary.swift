/// The words that workloads are made of.
enum Vocabulary {
  /// Where quakes happen: a name as feeds have it, and about where that is.
  static let places: [(name: String, longitude: Double, latitude: Double)] = [
    ("The Geysers, CA", -122.8, 38.8), ("Ridgecrest, CA", -117.7, 35.6), ("Anza, CA", -116.7, 33.6),
    ("Pāhala, Hawaii", -155.5, 19.2), ("Susitna North, Alaska", -150.1, 62.5), ("Adak, Alaska", -176.6, 51.9),
    ("Mentone, Texas", -103.6, 31.7), ("Maria Antonia, Puerto Rico", -66.9, 17.9), ("Tonopah, Nevada", -117.2, 38.1),
    ("Hualien City, Taiwan", 121.6, 24.0), ("Antofagasta, Chile", -70.4, -23.6),
    ("Severo-Kuril’sk, Russia", 156.1, 50.7),
    ("Ōfunato, Japan", 141.7, 39.1), ("Neiafu, Tonga", -174.0, -18.7), ("Kermadec Islands", -177.9, -30.0),
    ("Pondaguitan, Philippines", 126.2, 6.4), ("Tarapacá", -69.3, -20.2), ("Banda Sea", 129.0, -6.5),
    ("Corinto, Nicaragua", -87.2, 12.5), ("Yellowstone National Park, Wyoming", -110.6, 44.7),
  ]

  static let directions = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
  ]

  static let networks = ["ak", "ci", "hv", "nc", "nn", "pr", "tx", "us", "uw"]

  /// Names that text handling likes to get wrong: none at all, other scripts, what JSON escapes.
  static let awkwardNames = ["", "Quarry \"North\"\\2", "三陸沖", "Θάσος", "Tab\there", "Two\u{2028}lines", "Cafe\u{301}"]

  /// What a feed says when it fails.
  static let feedErrors = [
    "timeLimitReached: no answer within 60 seconds",
    "statusError: the server answered with status 503",
    "transportError: no complete answer came: The network connection was lost.",
    "decodingError: the answer is not the JSON that was expected",
  ]

  /// Why the store on this device fails.
  static let storeReasons = [
    FailureReason(code: "noSpace", message: "the disk is full", place: "default.store"),
    FailureReason(code: "locked", message: "another process writes to the log", place: "default.store"),
    FailureReason(code: "timeLimitReached", message: "no answer within 30 seconds"),
  ]
}
