extension HistoryPage {
  /// The document around the data. Elements come in the order in which the keyboard walks through them.
  static func markup(title: String, about: String, notices: [String], data: String) -> String {
    let notes = notices.map { notice in "<p class=\"notice\" role=\"note\">\(escaped(notice))</p>\n" }.joined()
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(escaped(title))</title>
      <style>\(PageStyle.text)</style>
      </head>
      <body data-pane="actions">
      <header>
      <h1>\(escaped(title))</h1>
      <p>\(escaped(about))</p>
      <button id="keys" type="button" aria-keyshortcuts="?">Keys <kbd>?</kbd></button>
      </header>
      <div>
      \(notes)<noscript><p class="notice">This page makes the states of the log from the changes that it holds, by a script that \
      is part of it. The script needs to be allowed; nothing is loaded from anywhere.</p></noscript>
      </div>
      \(travel)
      \(panes)
      <footer><p id="live" role="status" aria-live="polite"></p></footer>
      \(help)
      <div id="probe" aria-hidden="true">0</div>
      <script type="application/x-ndjson" id="data">\(data)</script>
      <script>\(PageScript.text)</script>
      </body>
      </html>

      """
  }

  private static let travel = """
    <nav aria-label="Travel in time">
    <div class="travel">
    <button id="start" type="button" aria-label="To the start" aria-keyshortcuts="Home">|◀</button>
    <button id="previous" type="button" aria-label="One action back" aria-keyshortcuts="ArrowLeft">◀</button>
    <input id="slider" type="range" step="1" aria-label="Revision">
    <button id="next" type="button" aria-label="One action forward" aria-keyshortcuts="ArrowRight">▶</button>
    <button id="finish" type="button" aria-label="To the end" aria-keyshortcuts="End">▶|</button>
    <input id="number" type="number" step="1" aria-label="Go to revision" aria-keyshortcuts="g">
    <button id="compare" type="button" aria-pressed="false" aria-keyshortcuts="c">Compare from here</button>
    </div>
    <div id="marks" role="group" aria-label="Marks" hidden></div>
    <div id="conditions" role="group" aria-label="Conditions" hidden></div>
    <div class="tabs" role="group" aria-label="What is shown">
    <button type="button" data-tab="actions" aria-pressed="true">Actions</button>
    <button type="button" data-tab="state" aria-pressed="false">State</button>
    <button type="button" data-tab="details" aria-pressed="false">Changes</button>
    </div>
    </nav>
    """

  private static let panes = """
    <main>
    <section id="list" aria-labelledby="list-title">
    <div class="head"><h2 id="list-title">Actions</h2><span id="count" class="remark"></span>
    <input id="filter" type="search" placeholder="Filter" title="Words, or a \
    place like /animals/data/Dog that changed" aria-label="Filter the actions by words, or by a place in the state that changed" aria-keyshortcuts="/" autocomplete="off" spellcheck="false"></div>
    <div id="actions" class="rows" role="listbox" tabindex="0" aria-labelledby="list-title"></div>
    </section>
    <section id="tree" aria-labelledby="tree-title">
    <div class="head"><h2 id="tree-title">State</h2></div>
    <div id="state" class="rows" role="tree" tabindex="0" aria-labelledby="tree-title"></div>
    </section>
    <section id="details" aria-label="Details">
    <div class="head"><h2 id="differences-title">What changed</h2></div>
    <ul id="differences" aria-labelledby="differences-title"></ul>
    <div class="head"><h2>Selected value</h2><button id="ask" type="button" aria-keyshortcuts="b">Who changed it? \
    <kbd>b</kbd></button>
    <button id="history" type="button" aria-keyshortcuts="h">History <kbd>h</kbd></button></div>
    <div id="selected"><p id="pointer"></p><p id="value"></p><div id="blame"></div></div>
    <div class="head"><h2 id="action-title">Action</h2></div>
    <dl id="action"></dl>
    </section>
    </main>
    """

  private static let help = """
    <dialog id="help" aria-labelledby="help-title">
    <h2 id="help-title">Keys</h2>
    <dl>
    <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>one action back, forward; in the state: close, open (<kbd>p</kbd> <kbd>n</kbd> step from \
    everywhere)</dd>
    <dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>the action or value before, after</dd>
    <dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>the first, the last</dd>
    <dt><kbd>g</kbd></dt><dd>go to a revision</dd>
    <dt><kbd>/</kbd></dt><dd>filter the actions; Enter goes to the list, Esc leaves</dd>
    <dt><kbd>b</kbd></dt><dd>which action last changed the selected value</dd>
    <dt><kbd>h</kbd></dt><dd>list the actions that changed the selected value, with what it was and became</dd>
    <dt><kbd>u</kbd> <kbd>U</kbd></dt><dd>forward, back, to where the condition holds that the page was made with (<code>report \
    --where</code>)</dd>
    <dt><kbd>c</kbd></dt><dd>compare with the state here, until <kbd>c</kbd> again</dd>
    <dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>the mark before, after</dd>
    <dt><kbd>Tab</kbd></dt><dd>to the next part of the page</dd>
    <dt><kbd>Esc</kbd></dt><dd>close this</dd>
    </dl>
    <form method="dialog"><button>Close</button></form>
    </dialog>
    """
}
