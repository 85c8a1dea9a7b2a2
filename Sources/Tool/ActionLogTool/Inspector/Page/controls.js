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
const link = () => location.origin + "/" + fragment(false);

// The command that prints what the page shows: a comparison, a chosen value, or else the action.
function command() {
  const at = String(view.revision);
  const words = view.base !== null ? ["diff", log.path, String(view.base), at]
    : view.isChosen ? ["state", log.path, "--at", at, "--path", view.pointer]
    : view.revision === log.first ? ["state", log.path, "--at", at] : ["show", log.path, at];
  return ["action-log", ...words, ...log.options].map(shellWord).join(" ");
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
  const button = byId("copying").querySelector(`[data-copy][aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  button.click();
});
byId("copying").addEventListener("click", (event) => {
  const name = event.target.closest("[data-copy]")?.dataset.copy;
  // Another dialog can open when this one has closed.
  if (name) byId("copying").addEventListener("close", () => copies[name](), { once: true });
});

addKeys("o", "show only what changed", { o: switchChanges });
addKeys("x", "what if the shown action had not happened; again: it happens", { x: toggleSkip });
addKeys("r i", "what if another action had happened instead of the shown one, or after it",
  { r: () => openEdit("replace"), i: () => openEdit("insert") });
addKeys("y", "copy the path of the selected value (`y` again), its value (`v`), a condition (`e`), the action (`a`), a command (`c`), or a link (`l`); download a test (`t`) or a bug report (`b`)", { y: openCopies });
addKeys("B", "bisect: find the first revision at which the condition in the field holds", { B: () => searchFor("bisect") });
addKeys("M", "minimize: find the actions that suffice to make the condition in the field hold at this revision", { M: () => searchFor("minimize") });
addKeys("e", "put into the field the condition that the selected value is as it is now", { e: useAsCondition });
addKeys("T R", "write a test, a bug report, of the minimized actions, or else of those of the range, since the compared state, or since the start", { T: () => writeTest(), R: openReport });
addKeys("f", "go to the end, and follow new actions", { f: followEnd });
addKeys("m", "mark this revision, if `inspect` was started with `--allow-marks`", { m: mark });
addKeys("t", "the timeline by time or by revision; drag over it for a range, the wheel zooms, a click goes there", { t: switchAxis });
addKeys("( )", "the range of the timeline begins, ends, at this revision", { "(": () => setEnd(true), ")": () => setEnd(false) });
addKeys("+ -", "zoom the timeline in, out", { "+": () => zoomAtRevision(0.5), "=": () => zoomAtRevision(0.5), "-": () => zoomAtRevision(2) });
addKeys("a", "let the running app show the revision of this page, or the present again; only an app that allows it, such as `counter --debug-inspector`", { a: switchApp });
plainKeys.set("Escape", escape);
listen({
  go, target: () => view.target, first: () => log.first, last: () => log.last, list, revisionOf, select, compare, filter,
  trees: [tree, branchTree], marks: () => log.marks.map((mark) => mark.seq), isReady: () => tree.root !== null,
  blame: () => blame(), history: askHistory, goUntil: (isForward) => searchFor(isForward ? "first" : "last"),
  followBlame(isEarlier) {
    const change = view.answer?.change;
    if (!change) return say("b asks who changed the selected value");
    if (isEarlier) blame(change.seq - 1, change.time); else go(change.seq);
  },
  // A condition can be wrong until it is complete: Enter or a button asks.
  typed(text) {
    const wanted = text.trim(), isComplete = !isCondition(wanted);
    if (!isComplete) byId("searches").hidden = false;
    showFilterAge(wanted);
    return !isComplete;
  },
  typingPause: 200,
  filtered() { selectsFirst = true; },
  texts: {
    search: "filter the actions by words, a path or a condition; `Enter` lists them, `Esc` leaves the field, and pressed again ends the filter",
    history: "the actions that changed the selected value, with the old and new values, and a chart of a number",
    until: "forward, back, to a revision at which the condition in the field holds",
    escape: "cancel a question that runs; end the range, the zoom, the search, the minimized actions; close this list", range: "this log has",
  },
});
document.addEventListener("click", (event) => {
  const { search, close } = event.target.dataset ?? {};
  if (search === "filter") { filter(byId("filter").value); selectsFirst = true; } else if (search) searchFor(search);
  if (close) byId(close).close();
});
for (const [id, action] of [
  ["follow", followEnd], ["only", switchChanges], ["mark", mark], ["app", switchApp], ["copy", openCopies], ["condition", useAsCondition], ["report", openReport], ["skip", toggleSkip],
  ["replace", () => openEdit("replace")], ["insert", () => openEdit("insert")], ["move", () => openEdit("move")], ["end-what-if", endWhatIf], ["times", switchTimes],
]) byId(id).addEventListener("click", action);
byId("with").addEventListener("change", (event) => chooseModel(event.target.value));

// The widths of the panes, as shares. They are kept for this tab.
const widthsName = "action-log-widths", usualWidths = [5, 6, 6];
let widths = usualWidths.slice();
try {
  const kept = JSON.parse(sessionStorage.getItem(widthsName) ?? "null");
  if (Array.isArray(kept) && kept.length === 3 && kept.every((share) => share > 0 && share < 100)) widths = kept;
} catch { /* the usual ones */ }
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
  sessionStorage.setItem(widthsName, JSON.stringify(widths));
  showWidths();
}
const shareOf = (index) => widths[index] / (widths[index] + widths[index + 1]);

dividers.forEach((divider, index) => {
  divider.setAttribute("aria-valuemin", 10);
  divider.setAttribute("aria-valuemax", 90);
  divider.title = "drag, or press ← →; a double click or Enter restores the width";
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
