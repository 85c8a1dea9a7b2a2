// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A substitute for SwiftUI: the part that ImmutableUI and a small application use, with the same isolation, so that both are
// type-checked and run where SwiftUI is not available. A test compiles it, outside the package's own build.

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a view without a body is drawn, not asked") }
}

@resultBuilder public struct ViewBuilder {
  @MainActor public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  @MainActor public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
    repeat each Content
  > {
    TupleView(content: (repeat each content))
  }
}

public struct TupleView<each Content: View>: View {
  let content: (repeat each Content)

  public var body: Never { fatalError("drawn") }
}

public struct Text: View {
  let text: String

  public init(_ text: String) { self.text = text }

  public var body: Never { fatalError("drawn") }
}

public struct Button: View {
  let title: String
  let action: @MainActor () -> Void

  public init(_ title: String, action: @escaping @MainActor () -> Void) {
    self.title = title
    self.action = action
  }

  public var body: Never { fatalError("drawn") }
}
