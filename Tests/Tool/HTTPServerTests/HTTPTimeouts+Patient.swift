import HTTPServer

extension HTTPTimeouts {
  /// Longer than any machine is busy with other tests: a test of a time sets the one that it is about.
  static let patient = {
    var timeouts = HTTPTimeouts()
    (timeouts.idle, timeouts.head, timeouts.body) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
    (timeouts.handling, timeouts.sending, timeouts.stopping) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
    return timeouts
  }()
}
