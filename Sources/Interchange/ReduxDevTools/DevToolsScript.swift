/// The script and the style sheet of ``DevToolsPage``. Their bytes are what the page's policy names.
enum DevToolsScript {
  /// Finds the extension, which may come a little later than the page, and hands the lifted state over. Jumps show the
  /// state; a file that is imported in DevTools takes the place of this one.
  static let text = """
    "use strict";
    const status = document.getElementById("status");
    const view = document.getElementById("state");
    const say = (text) => { status.textContent = text; };
    const show = (state) => { view.textContent = JSON.stringify(state, null, 2); };
    const lifted = JSON.parse(document.getElementById("lifted").textContent);
    const fill = (extension) => {
      const tools = extension.connect({
        name: document.title,
        maxAge: lifted.stagedActionIds.length + 1,
        features: { jump: true, export: true, import: true, test: true,
          pause: false, lock: false, persist: false, skip: false, reorder: false, dispatch: false }
      });
      tools.subscribe((message) => {
        if (message.type !== "DISPATCH" || !message.payload) return;
        if (message.payload.type === "JUMP_TO_STATE" || message.payload.type === "JUMP_TO_ACTION") {
          show(JSON.parse(message.state));
        } else if (message.payload.type === "IMPORT_STATE") {
          tools.send(null, message.payload.nextLiftedState);
        }
      });
      tools.init(lifted.committedState);
      tools.send(null, lifted);
      show(lifted.computedStates[lifted.currentStateIndex].state);
      say(lifted.stagedActionIds.length - 1 + " actions are in Redux DevTools: open them, and jump to any of these.");
    };
    const find = (triesLeft) => {
      const extension = window.__REDUX_DEVTOOLS_EXTENSION__;
      if (extension) fill(extension);
      else if (triesLeft > 0) setTimeout(find, 100, triesLeft - 1);
      else say("Redux DevTools are not there. Install the extension, allow it to access this page (for a file: "
        + "'Allow access to file URLs'), and load the page again.");
    };
    find(20);
    """

  static let style = """
    :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
    body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
    h1 { font-size: 1.2rem; overflow-wrap: anywhere; }
    pre { border: 1px solid; overflow: auto; padding: 1rem; }
    """
}
