import ActionLog

/// A story in the form in which a log stores it, without its model's type.
struct StoredStory: Sendable {
  struct Step: Sendable {
    var pause: Duration
    var form: ActionForm
  }

  var steps: [Step]
  var turningPoint: Int

  init(_ story: Story<some Encodable & Sendable>) throws {
    steps = try story.steps.map { step in Step(pause: step.pause, form: try ActionCoding.encode(step.action)) }
    turningPoint = story.turningPoint
  }
}
