function select(pointer, isShown = false) {
  quiet?.abort();
  view.pointer = pointer;
  view.isChosen = pointer !== "";
  address();
  if (isShown && tree.indexOf(pointer) < 0) {
    for (let holder = pointer; holder !== ""; ) {
      view.open.add(holder = parentOf(holder));
      view.shut.delete(holder);
    }
    return reload();
  }
  showState(isShown);
  showValue();
}

// Reads the shown state again, with other open containers.
const reload = () => go(view.target, { isFollowing: view.isFollowing, isRedrawn: true });

function compare() {
  const base = view.base === null ? view.target : null;
  go(view.target, { isFollowing: view.isFollowing, base });
  say(base === null ? "each action is compared with the state before it" : "compared from revision " + base);
}

function followEnd() {
  view.seen = log.last;
  say(log.isClosed ? "the end of the log, which is closed" : "the page follows new actions");
  go(log.last, { isFollowing: true });
}

function switchChanges() {
  view.onlyChanged = !view.onlyChanged;
  reload();
}

function escape() {
  if (asking) asking.abort();
  else if (view.range) brush(null);
  else if (view.zoom) zoom(null);
  else if (byId("filter").value !== "") { byId("filter").value = ""; filter(""); }
  else closeMinimized();
}

// The link has the revision and the path, and not the token.
const link = () => location.href.replace(/#.*/, "") + fragment(false);

// The command that prints what the page shows: a comparison, a chosen value, or else the action.
function command() {
  const at = String(view.revision);
  const words = view.base !== null ? ["diff", log.path, String(view.base), at]
    : view.isChosen ? ["state", log.path, "--at", at, "--path", view.pointer]
    : view.revision === log.first ? ["state", log.path, "--at", at] : ["show", log.path, at];
  return commandOf(...words);
}

const copies = {
  path: () => copy(view.pointer, "the path"),
  async value() {
    if (isCutPath(view.pointer)) return say(cutText);
    try { copy(await send("GET", "value", { ...shownPlace(), path: view.pointer }), "the value"); } catch (error) { fail(error); }
  },
  action() {
    const { action } = view;
    if (!action?.has("data")) return say("there is no action to copy at revision " + view.target);
    const members = ["type", "data", "meta"].filter((name) => action.has(name));
    copy("{" + members.map((name) => JSON.stringify(name) + ":" + json(action.get(name))).join(",") + "}", "the action");
  },
  condition: useAsCondition,
  command: () => copy(command(), "the command"),
  link: () => copy(link(), "the link"),
  test: () => writeTest(),
  report: openReport,
};
const openCopies = () => byId("copying").showModal();
byId("copying").addEventListener("keydown", (event) => {
  const button = byId("copying").querySelector(`[data-copy]:not([data-absent])[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  button.click();
});
byId("copying").addEventListener("click", (event) => {
  const name = event.target.closest("[data-copy]")?.dataset.copy;
  // Another dialog can open when this one has closed.
  if (name) byId("copying").addEventListener("close", () => copies[name](), { once: true });
});

const step = (count) => () => go(view.target + count);
const focus = (id) => { byId(id).focus(); byId(id).select(); };
function goToMark(direction) {
  const places = log.marks.map((mark) => mark.seq).sort((a, b) => a - b);
  const found = direction > 0 ? places.find((place) => place > view.target) : places.findLast((place) => place < view.target);
  if (found !== undefined) go(found);
}
function followBlame(isEarlier) {
  const change = view.answer?.change;
  if (!change) return say("b asks who changed the selected value");
  if (isEarlier) blame(change.seq - 1, change.time); else go(change.seq);
}
function showKeys() {
  byId("help").showModal();
  // Else the button at the end has the focus, and the beginning is out of view.
  byId("help-title").focus();
}

// What each key does. The dialog that lists the keys is in the markup.
const keys = {
  ArrowLeft: step(-1), ArrowRight: step(1), p: step(-1), n: step(1), Home: () => go(log.first), End: () => go(log.last),
  g: () => focus("number"), "/": () => { pane("actions"); focus("filter"); }, c: compare, o: switchChanges, f: followEnd,
  b: () => { pane("details"); blame(); }, j: () => followBlame(false), h: askHistory, y: openCopies, m: mark,
  u: () => searchFor("first"), U: () => searchFor("last"), B: () => searchFor("bisect"), M: () => searchFor("minimize"), e: useAsCondition,
  "[": () => goToMark(-1), "]": () => goToMark(1), x: toggleSkip, r: () => openEdit("replace"), i: () => openEdit("insert"),
  T: () => writeTest(), R: openReport, t: switchAxis, "(": () => setEnd(true), ")": () => setEnd(false),
  "+": () => zoomAtRevision(0.5), "=": () => zoomAtRevision(0.5), "-": () => zoomAtRevision(2), "?": showKeys, Escape: escape,
};
// What the source does not answer is not offered: neither its controls nor its keys.
for (const part of document.querySelectorAll("[data-needs]")) {
  part.toggleAttribute("data-absent", !offers.has(part.dataset.needs));
  if (part.matches("dt[data-absent]")) for (const key of part.children) delete keys[key.textContent];
}
if (!offers.has("conditions")) {
  Object.assign(byId("filter"), { placeholder: "Words or /path", title: "Words, or the path of a changed value, such as /animals/data/Dog", ariaLabel: "Search the actions by words, or by the path of a changed value" });
}

function treeKey(event, tree) {
  const { rows } = tree, index = rows.target(event.key), { pointer, hasMembers, isOpened } = tree.describe(rows.selected);
  if (index !== null) tree.choose(index);
  else if (event.key === "Enter" || event.key === " ") tree.toggle(rows.selected);
  else if (event.key === "ArrowRight") {
    if (hasMembers && !isOpened) tree.toggle(rows.selected); else if (hasMembers) tree.choose(rows.selected + 1);
  } else if (event.key !== "ArrowLeft") return false;
  else if (hasMembers && isOpened) tree.toggle(rows.selected);
  else if (pointer !== "") {
    select(parentOf(pointer));
    rows.see(rows.selected);
  }
  return true;
}
function goToRow(index) {
  const revision = index === null ? undefined : revisionOf(index);
  if (revision !== undefined) go(revision);
  return index !== null && list.count > 0;
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]") || tree.root === null) return;
  const host = event.target;
  if (host.matches("input:not([type=range]), select")) {
    if (event.key === "Escape" || event.key === "Enter" && host.id === "number") { host.blur(); list.host.focus(); event.preventDefault(); }
    return;
  }
  if (host.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  if (host.matches("button, summary") && (event.key === "Enter" || event.key === " ")) return;
  const shown = [tree, branchTree].find((tree) => tree.rows.host === host);
  const isOfList = /^(ArrowUp|ArrowDown|Page)/.test(event.key) || host === list.host;
  const isDone = shown ? treeKey(event, shown) : isOfList && goToRow(list.target(event.key));
  if (!isDone) {
    const action = keys[event.key];
    if (!action) return;
    action();
  }
  event.preventDefault();
});

const rowIndex = (event) => event.target.closest(".row") ? Number(event.target.closest(".row").dataset.index) : null;
list.host.addEventListener("click", (event) => { goToRow(rowIndex(event)); });
for (const shown of [tree, branchTree]) {
  shown.rows.host.addEventListener("click", (event) => {
    if (rowIndex(event) !== null) shown.click(rowIndex(event), event.target.classList.contains("twisty"));
  });
}
document.addEventListener("click", (event) => {
  const { pointer, blame: wish, tab, revision, search, close } = event.target.dataset ?? {};
  if (pointer !== undefined) { select(pointer, true); pane("state"); }
  if (wish) followBlame(wish === "earlier");
  if (tab) pane(tab);
  if (revision !== undefined) go(Number(revision));
  if (search === "filter") { filter(byId("filter").value); selectsFirst = true; }
  if (close) byId(close).close();
  // A button does what its key does.
  const button = event.target.closest("button[aria-keyshortcuts]:not([data-copy])");
  if (button) keys[button.ariaKeyShortcuts]?.();
});
for (const [id, action] of [["move", () => openEdit("move")], ["end-what-if", endWhatIf], ["times", switchTimes]]) {
  byId(id).addEventListener("click", action);
}
byId("with").addEventListener("change", (event) => chooseModel(event.target.value));
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
byId("number").addEventListener("change", (event) => {
  const typed = Number(event.target.value);
  if (Number.isInteger(typed) && event.target.value !== "" && typed >= log.first && typed <= log.last) go(typed);
  else { say("this " + whole + " has the revisions " + log.first + " to " + log.last); event.target.value = view.target; }
});
let typing;
byId("filter").addEventListener("input", (event) => {
  const text = event.target.value, wanted = text.trim(), isComplete = !isCondition(wanted);
  clearTimeout(typing);
  // A condition can be wrong until it is complete: Enter or a button asks.
  if (isComplete) typing = setTimeout(filter, 200, text); else byId("searches").hidden = false;
  showFilterAge(wanted);
});
byId("filter").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  clearTimeout(typing);
  filter(event.target.value);
  list.host.focus();
  selectsFirst = true;
});

// The widths of the panes, as shares. They are kept for this tab.
const widthsName = "action-log-widths", usualWidths = [7, 6, 5];
const widths = usualWidths.map((usual, index) => {
  const share = Number(kept.get(widthsName)?.split(" ")[index]);
  return share > 0 && share < 100 ? share : usual;
});
const dividers = [...document.querySelectorAll(".divider")];

function showWidths() {
  byId("panes").style.setProperty("--columns", widths.map((share) => `minmax(9em, ${share}fr)`).join(" 6px "));
  dividers.forEach((divider, index) => {
    const share = Math.round(widths[index] / (widths[index] + widths[index + 1]) * 100);
    divider.setAttribute("aria-valuenow", share);
    divider.setAttribute("aria-valuetext", share + " % of both panes");
  });
}

// Gives the first of two neighboring panes a share of their width.
function resize(index, share) {
  const sum = widths[index] + widths[index + 1];
  widths[index] = sum * Math.min(0.9, Math.max(0.1, share));
  widths[index + 1] = sum - widths[index];
  kept.set(widthsName, widths.join(" "));
  showWidths();
}
const shareOf = (index) => widths[index] / (widths[index] + widths[index + 1]);

dividers.forEach((divider, index) => {
  const restore = () => resize(index, usualWidths[index] / (usualWidths[index] + usualWidths[index + 1]));
  divider.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") resize(index, shareOf(index) - 0.03);
    else if (event.key === "ArrowRight") resize(index, shareOf(index) + 0.03);
    else if (event.key === "Home") resize(index, 0);
    else if (event.key === "End") resize(index, 1);
    else if (event.key === "Enter") restore();
    else return;
    event.preventDefault();
  });
  divider.addEventListener("dblclick", restore);
  divider.addEventListener("pointerdown", (event) => { if (event.button === 0) divider.setPointerCapture(event.pointerId); });
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const left = divider.previousElementSibling.getBoundingClientRect().left, right = divider.nextElementSibling.getBoundingClientRect().right;
    resize(index, (event.clientX - left) / (right - left));
  });
});
showWidths();
