import ActionLog
import Foundation
import HTTPServer

/// The document of the inspector. It holds nothing of a log, so it needs no token.
///
/// The rendering of values and the lists are those of the report (`HistoryPage`); the rest is in `Page`.
enum InspectorPage {
  static let response: HTTPResponse = {
    var response = HTTPResponse(.ok, body: Array(document.utf8))
    response.headers.append("Content-Type", "text/html; charset=utf-8")
    return response
  }()

  /// The content security policy: the page's own script and style sheet, and requests to this server.
  static let policy = """
    default-src 'none'; script-src '\(HistoryPage.hash(script))'; style-src '\(HistoryPage.hash(style))'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
    """

  /// The script: files that share one scope. It inserts texts from a log as text nodes only, never as markup.
  private static let script =
    "\"use strict\";\n(() => {\n"
    + [
      PackageResources.values_js, PackageResources.source_js, PackageResources.rows_js, PackageResources.parts_js,
      PackageResources.model_js, PackageResources.tree_js, PackageResources.moves_js, PackageResources.details_js,
      PackageResources.questions_js, PackageResources.whatif_js, PackageResources.controls_js,
      PackageResources.timeline_js, PackageResources.begin_js,
    ].map(HistoryPage.text).joined() + "})();"

  private static let style = String(
    (HistoryPage.text(PackageResources.page_css) + HistoryPage.text(PackageResources.inspector_css)).dropLast())

  private static let document = HistoryPage.fill(
    HistoryPage.text(PackageResources.inspector_html), ["style": style, "script": script])
}
