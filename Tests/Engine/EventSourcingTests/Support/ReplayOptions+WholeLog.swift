import EventSourcing

extension ReplayOptions {
  /// Every action from the first one, whatever snapshots there are.
  static var wholeLog: ReplayOptions {
    var options = ReplayOptions()
    options.usesSnapshots = false
    return options
  }
}
