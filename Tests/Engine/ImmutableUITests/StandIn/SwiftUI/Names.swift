// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Names that SwiftUI declares and this package could, so that a file that imports both does not compile until it
// qualifies them. SwiftUI exports Foundation, with Apple's additional names.

#if canImport(FoundationOnApple)
@_exported import FoundationOnApple
#else
@_exported import Foundation
#endif

public struct Binding<Value> {}
public protocol App {}
public protocol Commands {}
public protocol Layout {}
public protocol Scene {}
public protocol Shape {}
public protocol TableRowContent {}
public struct Alert {}
public struct Alignment {}
public struct Anchor<Value> {}
public struct Angle {}
public struct Animation {}
public struct Canvas<Symbols> {}
public struct Color {}
public struct CommandMenu<Content> {}
public struct Divider {}
public struct Font {}
public struct Form<Content> {}
public struct Gradient {}
public struct Grid<Content> {}
public struct Group<Content> {}
public struct Image {}
public struct KeyEquivalent {}
public struct KeyPress {}
public struct Label<Title, Icon> {}
public struct Link<Label> {}
public struct List<SelectionValue, Content> {}
public struct Menu<Label, Content> {}
public struct Path {}
public struct Picker<Label, SelectionValue, Content> {}
public struct ProgressView<Label> {}
public struct Section<Parent, Content, Footer> {}
public struct Settings<Content> {}
public struct Slider<Label> {}
public struct Spacer {}
public struct Stepper<Label> {}
public struct Table<Value, Rows, Columns> {}
public struct TextField<Label> {}
public struct Toggle<Label> {}
public struct Transaction {}
public struct Window<Content> {}
public enum Axis {}
public enum Edge {}
public enum Visibility {}
