// The names that `import Dispatch` exports on Apple platforms: a cross-import overlay, like `FoundationOnApple`.

@_exported import Dispatch
@_exported import ObjectiveC
