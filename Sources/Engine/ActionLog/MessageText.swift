/// The text of a message that can refer to operations, such as `verify`, which each user interface names in its own way.
///
/// An error of the engine knows the operation that helps, but not the program that offers it. So its ``DescribedError/advice`` has a
/// reference in place of a command line:
///
/// ```swift
/// error.advice = "Restore the segment from a copy. Run \(.verify) for the full report."
/// ```
///
/// The operations are the commands of the tool. `description` names them without a program (`Run 'verify' for the full report.`), the tool
/// as the commands that a user types, and a program with a menu can show its own items:
///
/// ```swift
/// alert.text = error.advice?.text { operation in menuTitles[operation.name ?? ""] }
/// ```
///
/// A sentence whose reference has no words in a user interface is left out there. A literal counts as one sentence; ``sentences(_:)`` joins
/// several.
public struct MessageText: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case operation(Operation)
  }

  /// The sentences, or one fragment.
  private var sentences: [[Part]]

  /// Creates a text without references.
  public init(_ text: String) { sentences = text.isEmpty ? [] : [[.text(text)]] }

  /// Joins sentences.
  ///
  /// - Parameter texts: Complete sentences; `nil` for none.
  public static func sentences(_ texts: MessageText?...) -> MessageText {
    var joined = MessageText("")
    joined.sentences = texts.flatMap { text in text?.sentences ?? [] }
    return joined
  }

  /// Whether there is no sentence.
  public var isEmpty: Bool { sentences.isEmpty }

  /// The operations, in order.
  public var operations: [Operation] {
    sentences.joined().compactMap { part in if case .operation(let operation) = part { operation } else { nil } }
  }

  /// Returns the text for a user interface.
  ///
  /// - Parameter words: Returns the words for an operation; `nil` if the user interface has none, so that the sentence is left out.
  /// - Returns: The sentences with a space between them; empty if none is left.
  public func text(_ words: (Operation) -> String?) -> String {
    sentences.compactMap { sentence in
      var text = ""
      for part in sentence {
        switch part {
        case .text(let fixed): text += fixed
        case .operation(let operation):
          guard let words = words(operation) else { return nil }
          text += words
        }
      }
      return text
    }
    .joined(separator: " ")
  }

  /// Returns the text without a sentence, for a user interface that has a better one.
  package func removing(_ sentence: MessageText) -> MessageText {
    var copy = self
    copy.sentences.removeAll { other in [other] == sentence.sentences }
    return copy
  }

  /// Returns the message with each run of text between references changed.
  package func changingText(_ change: (String) -> String) -> MessageText {
    var copy = self
    copy.sentences = sentences.map { sentence in
      sentence.map { part in if case .text(let text) = part { .text(change(text)) } else { part } }
    }
    return copy
  }

  /// Continues the last sentence of `left` with the first one of `right`.
  public static func + (left: MessageText, right: MessageText) -> MessageText {
    var joined = left
    joined.append(right)
    return joined
  }

  private mutating func append(_ other: MessageText) {
    guard let first = other.sentences.first else { return }
    var sentence = sentences.popLast() ?? []
    for part in first { Self.append(part, to: &sentence) }
    sentences.append(sentence)
    sentences += other.sentences.dropFirst()
  }

  private static func append(_ part: Part, to sentence: inout [Part]) {
    if case .text(let text) = part, case .text(let before)? = sentence.last {
      sentence[sentence.count - 1] = .text(before + text)
    } else {
      sentence.append(part)
    }
  }
}

extension MessageText: CustomStringConvertible {
  /// The text with the descriptions of the operations.
  public var description: String { text { operation in operation.description } }
}

extension MessageText: ExpressibleByStringInterpolation {
  /// Creates a text from a literal: one sentence, or several that are shown together.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a text from a literal with values and references.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  /// The parts of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = MessageText("")

    /// Creates the parts of an empty literal.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends text.
    public mutating func appendLiteral(_ literal: String) { text.append(MessageText(literal)) }

    /// Appends a value's description.
    public mutating func appendInterpolation<Value>(_ value: Value) { appendLiteral("\(value)") }

    /// Appends a text with its references.
    public mutating func appendInterpolation(_ other: MessageText) { text.append(other) }

    /// Appends a reference.
    public mutating func appendInterpolation(_ operation: Operation) {
      var reference = MessageText("")
      reference.sentences = [[.operation(operation)]]
      text.append(reference)
    }
  }
}

extension MessageText {
  /// An operation that a user can start: a command of the tool, with its arguments and options.
  public struct Operation: Hashable, Sendable {
    /// An argument or an option.
    public struct Word: Hashable, Sendable {
      /// The name of the option; `nil` for an argument.
      public let option: String?
      /// The argument, or the value of the option; `nil` for a flag. Capitals stand for a value that the user chooses.
      public let value: String?
      /// Whether the value is a path, which a shell may have to quote.
      public let isPath: Bool

      /// Creates an option, or a flag without a value.
      public static func option(_ name: String, _ value: Word? = nil) -> Word {
        Word(option: name, value: value?.value, isPath: value?.isPath ?? false)
      }

      /// Creates an argument that is a path.
      public static func path(_ path: String) -> Word { Word(option: nil, value: path, isPath: true) }
    }

    /// The name of the command; `nil` for words that belong to the operation that failed.
    public let name: String?
    /// The arguments and options, in order.
    public let words: [Word]

    /// Creates a reference to an operation.
    public init(_ name: String?, _ words: [Word] = []) { (self.name, self.words) = (name, words) }

    /// Creates a reference to an operation.
    public static func operation(_ name: String, _ words: Word...) -> Operation { Operation(name, words) }

    /// Creates a reference to an option of the operation that failed.
    public static func option(_ name: String, _ value: Word? = nil) -> Operation {
      Operation(nil, [.option(name, value)])
    }
  }
}

extension MessageText.Operation.Word: ExpressibleByStringInterpolation {
  /// Creates an argument.
  public init(stringLiteral value: String) { self.init(option: nil, value: value, isPath: false) }
}

extension MessageText.Operation: CustomStringConvertible {
  /// The command line in quotes without the name of a program, for example `'prune LOG --restore DIR'`; for an option its name and value.
  public var description: String {
    let line = commandLine { path in path }
    return name == nil ? line : "'\(line)'"
  }

  /// Returns the words of a command line, without quotes around it.
  package func commandLine(_ quote: (String) -> String) -> String {
    let texts = words.flatMap { word in
      [word.option.map { name in "--" + name }, word.value.map { value in word.isPath ? quote(value) : value }]
    }
    // The only command of a program has no name.
    return ([name] + texts).compactMap(\.self).filter { text in !text.isEmpty }.joined(separator: " ")
  }
}

extension MessageText.Operation {
  /// Checks all of a log.
  public static let verify = operation("verify")
  /// Copies the intact actions of a damaged log to a new one.
  public static let salvage = operation("salvage")
  /// Puts the archived segments of a pruned log back.
  package static let restoringArchive = operation("prune", "LOG", .option("restore", "DIR"))
  /// Compares the checkpoints of a log with its lines, and makes wrong ones again.
  package static let rebuildingCheckpoints = operation("checkpoint", "LOG", .option("rebuild"))
  /// Completes an interrupted redaction.
  package static let finishingRedaction = operation("redact", "LOG", .option("finish"))
}

extension MessageText {
  /// The advice on damage. User interfaces that know the log replace it.
  package static let fullReport: MessageText = "Run \(.verify) for the full report."
}
