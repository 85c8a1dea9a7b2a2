import EventSourcing

extension ReplayOptions {
  /// Every digest is compared.
  static func checkingDigests(usesSnapshots: Bool = true) -> ReplayOptions {
    var options = ReplayOptions()
    options.checksDigests = true
    options.usesSnapshots = usesSnapshots
    return options
  }
}
