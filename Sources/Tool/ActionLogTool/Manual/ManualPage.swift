/// The manual page of a tool, in the source format of `man`, generated from the command table.
///
/// - SeeAlso: groff_man(7).
struct ManualPage {
  let tool: ActionLogTool

  var lines: [String] {
    let name = escaped(tool.name)
    return [
      ".TH \(quoted(tool.name.uppercased())) 1 \"\" \(quoted("\(tool.name) \(tool.version)")) \(quoted("Manual of \(tool.name)"))",
      ".SH NAME", "\(name) \\- \(escaped(HelpPage.purpose))",
      ".SH SYNOPSIS", ".B \(name)", ".I COMMAND", "[arguments] [options]", ".br", ".B \(name) help", "[COMMAND]",
      ".SH DESCRIPTION",
      "A log is a directory of JSON Lines files that record every action that changed a state.",
      "\(name) records logs, shows actions and any earlier state, answers questions about the past, and maintains logs.",
      "Data goes to standard output, and messages to standard error.",
      ".SH COMMANDS",
    ] + groups + [".SH OPTIONS OF EVERY COMMAND"] + options(CommandOption.global) + [".SH DETAILS OF THE COMMANDS"]
      + tool.commands.flatMap(details) + [".SH EXIT STATUS"]
      + ExitStatus.meanings.flatMap { entry in item(entry.status, entry.meaning) }
      + [".SH ENVIRONMENT"] + environment
  }

  private var groups: [String] {
    Command.Group.allCases.flatMap { group in
      let members = tool.commands.filter { command in command.group == group }
      return members.isEmpty
        ? [] : [".SS \(quoted(group.rawValue))"] + members.flatMap { command in item(command.name, command.summary) }
    }
  }

  private var environment: [String] {
    item("NO_COLOR", "if set and not empty, output has no colors")
      + item("TERM", "the kind of terminal; output to a dumb terminal has no colors")
      + item(
        "PAGER",
        "the program that shows long output on a terminal (default: less, with the options FRX unless LESS is set); empty or cat for none"
      )
      + item("COLUMNS", "the width at which lines of a list are truncated")
      + item(
        "XDG_CACHE_HOME",
        "the folder, by default ~/.cache, in whose folder action-log the indexes of long logs are kept; they can be removed at any time"
      )
      + item("XDG_RUNTIME_DIR", "the folder of the user in which inspect keeps the secret of a port")
      + item(
        "ACTION_LOG_PROCESSORS",
        "the number of processors with which a command folds a history (default: those that the process may use, at most 8; 1 needs the least memory)"
      )
  }

  private func details(of command: Command) -> [String] {
    var lines = [".SS \(quoted("\(tool.name) \(command.usage)"))", escaped(sentence(command.summary))]
    if !command.details.isEmpty {
      lines.append(".PP")
      lines += command.details.split(separator: "\n").map { line in escaped(String(line)) }
    }
    for argument in command.arguments { lines += item(argument.name, argument.help) }
    lines += options(command.options)
    if !command.examples.isEmpty {
      lines += [".PP", "Examples:"]
      for example in command.examples {
        lines += [
          ".PP", ".RS 4", ".nf", escaped("\(tool.name) \(example.arguments)"), ".fi", escaped(example.meaning), ".RE",
        ]
      }
    }
    return lines
  }

  private func options(_ options: [CommandOption]) -> [String] {
    options.flatMap { option in
      item(option.usage.drop { character in character == " " }.description, option.help)
    }
  }

  private func item(_ term: String, _ meaning: String) -> [String] {
    [".TP", ".B \(quoted(term))", escaped(meaning)]
  }

  private func sentence(_ fragment: String) -> String {
    fragment.prefix(1).uppercased() + fragment.dropFirst() + "."
  }

  private func quoted(_ text: String) -> String {
    "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
  }

  /// Escaped text in ASCII, without escapes or requests of its own.
  private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default:
        if scalar.isASCII { escaped.unicodeScalars.append(scalar) } else { escaped += named(scalar) }
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  /// An escape for a character by its number, with at least four digits.
  private func named(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
  }
}
