internal import Platform
internal import Testing

/// Runs a blocking closure on a thread of its own, and expects it to return `true`.
func expectOffPool(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Bool
) async {
  #expect(await BlockingWork.run(body) as Bool, comment, sourceLocation: sourceLocation)
}
