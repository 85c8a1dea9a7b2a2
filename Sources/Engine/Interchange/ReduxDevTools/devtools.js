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
  say(lifted.stagedActionIds.length - 1 + " actions are loaded. Open Redux DevTools to jump to any of them.");
};
const find = (triesLeft) => {
  const extension = window.__REDUX_DEVTOOLS_EXTENSION__;
  if (extension) fill(extension);
  else if (triesLeft > 0) setTimeout(find, 100, triesLeft - 1);
  else say("Redux DevTools was not found. Install the extension, allow it to access this page (for a file: "
    + "'Allow access to file URLs'), and reload the page.");
};
find(20);
