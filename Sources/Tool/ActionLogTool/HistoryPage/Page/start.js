for (const id of ["slider", "number"]) {
  byId(id).min = first;
  byId(id).max = last;
}
list.host.style.setProperty("--digits", String(last).length * .62 + .2 + "em");
for (const mark of about.marks) {
  const button = element("button", "mark", "⚑ " + escaped(mark.name));
  button.type = "button";
  button.title = "revision " + mark.revision + (mark.remark ? ": " + escaped(mark.remark) : "");
  button.dataset.revision = mark.revision;
  byId("marks").append(button);
}
byId("marks").hidden = about.marks.length === 0;
conditions.forEach(({ text, ends }, index) => {
  let count = 0;
  for (let place = 0; place < ends.length; place += 2) count += ends[place + 1] - ends[place] + 1;
  const button = element("button", "", "◆ " + escaped(text) + " (" + number(count) + ")");
  button.type = "button";
  button.title = "show only where it holds";
  button.dataset.condition = index;
  button.setAttribute("aria-pressed", "false");
  byId("conditions").append(button);
});
byId("conditions").hidden = conditions.length === 0;
const wish = /^#(\d+)(?::(.*))?$/.exec(location.hash);
view.revision = Math.min(last, Math.max(first, wish ? Number(wish[1]) : about.at));
try {
  if (wish?.[2] && isContainer(stateAt(view.revision))) {
    view.pointer = decodeURI(wish[2]);
    view.isChosen = true;
  }
} catch { /* an invalid address selects nothing */ }
pane("actions");
filter("");
render(true);
if (view.isChosen) select(view.pointer, true);
list.host.focus();

// An interface for the console and for tests. Values are returned as JSON with exact numbers.
globalThis.actionLog = Object.freeze({
  first, last, work, go,
  revision: () => view.revision,
  state: (revision, pointer = "") => {
    const value = lookUp(stateAt(revision), tokensOf(pointer));
    return value === undefined ? null : json(value);
  },
  blame: (pointer, revision) => {
    const change = blame(pointer, revision);
    const text = (value) => value === undefined ? null : json(value);
    return change && { revision: change.revision, old: text(change.old), new: text(change.new) };
  },
});
