// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct VStack<Content: View>: View {
  let content: Content

  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public var body: some View { content }
}

public struct HStack<Content: View>: View {
  let content: Content

  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public var body: some View { content }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  let data: Data
  let content: (Data.Element) -> Content

  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {
    self.data = data
    self.content = content
  }

  public var body: Never { fatalError("drawn") }
}

extension ForEach: Container {
  func drawContents(_ draw: (any View) -> Void) {
    for element in data { draw(content(element)) }
  }
}

// MARK: - Modifiers

extension View {
  @MainActor public func disabled(_ isDisabled: Bool) -> some View {
    ModifiedView(original: self, isDisabled: isDisabled)
  }

  @MainActor public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    ModifiedView(original: self, appearance: action)
  }
}

@MainActor protocol Modified {
  associatedtype Original: View
  var original: Original { get }
  var isDisabled: Bool { get }
  var appearance: (() -> Void)? { get }
}

struct ModifiedView<Original: View>: View, Modified {
  let original: Original
  var isDisabled = false
  var appearance: (() -> Void)?

  var body: Never { fatalError("drawn") }
}

// MARK: - Previews

@MainActor @preconcurrency public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
