/// The script of a page about a history, in parts that share one scope.
///
/// It is kept as text in the program, so that a page needs nothing but the program. Texts from a log reach the document as
/// text only, never as markup.
enum PageScript {
  /// The whole script.
  static let text = (["\"use strict\";\n(() => {"] + parts + ["})();"]).joined(separator: "\n")

  private static let parts = [values, states, rows, panes, keys, start]
}
