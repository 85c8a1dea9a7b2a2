// The move that is under way, its end, when the last one was sent, and whether that is not answered yet.
let moving = null, arrival = Promise.resolve(), sent = 0, isSending = false;
// At most one move in a frame is sent, and after the answer to the one before it.
const framePause = 16;
// Moves to a revision. Only the last of several moves is completed. The list, the timeline and the action move at once; the state,
// which may have to be folded, follows.
async function go(revision, { isFollowing = false, base = view.base, isRedrawn = false } = {}) {
  revision = Math.min(log.last, Math.max(log.first, revision));
  if (revision === view.target && base === view.base && !isRedrawn) {
    view.isFollowing ||= isFollowing;
    return showTravel();
  }
  moving?.abort();
  const { signal } = moving = new AbortController();
  Object.assign(view, { target: revision, base });
  view.isFollowing = isFollowing || revision === log.last && !log.isClosed;
  if (view.isFollowing) view.seen = log.last;
  showTarget();
  await (arrival = arrive(revision, signal));
}

// The action of the revision that is shown.
let arrived = null;

async function arrive(revision, signal) {
  const isMoved = revision !== view.revision || tree.root === null;
  try {
    while (isSending || performance.now() - sent < framePause) {
      await pause(framePause);
      signal.throwIfAborted();
    }
    sent = performance.now();
    const found = await near({ at: revision, base: view.base ?? undefined, ...openPaths(isMoved) }, signal, {
      isThere: (found) => takeAction(revision, found), progress: showFolding,
    });
    moving = null;
    render(found, isMoved);
    arrived = view.action;
    // Actions that arrived during the move.
    if (view.isFollowing && view.revision < log.last) go(log.last, { isFollowing: true });
  } catch (error) {
    if (signal.aborted) return;
    moving = null;
    // The action of the target is shown already.
    if (tree.root) {
      Object.assign(view, { target: view.revision, action: arrived });
      showAction();
    }
    showFolding(null);
    showTarget();
    fail(error);
  }
}

// Reads a state of the recording or of a branch, after a job has folded it if that is necessary. `isThere` gets the first answer, which
// has the action in any case.
async function near(place, signal, { isThere = () => {}, progress = () => {} } = {}) {
  for (;;) {
    signal.throwIfAborted();
    isSending = true;
    let found;
    try { found = JSON.parse(await send("POST", "place", {}, { view: viewName, ...place })); } finally { isSending = false; }
    signal.throwIfAborted();
    isThere(found);
    if (found.isNear !== false) return found;
    progress(0);
    const { at, base, branch } = place;
    try {
      await run({ kind: "go", view: viewName, at, base, branch }, {
        signal, progress: ({ reached, of }) => progress(of ? Math.floor(reached / of * 100) : 0),
      });
    } catch (error) {
      // Another move of this view has replaced it.
      if (error.name !== "AbortError") throw error;
    }
  }
}

// The containers that are open, and the value that is selected. A move opens the containers of the first changes.
const pathsLimit = 30_000;
function openPaths(isMoved) {
  const open = [];
  let size = 0;
  for (const path of isMoved ? view.open : [...view.open, ...view.shown]) {
    if (view.shut.has(path) && !isMoved || isCutPath(path) || (size += path.length) > pathsLimit) continue;
    open.push(path);
  }
  const isSelected = !isCutPath(view.pointer) && (view.isChosen || !isMoved);
  return { open, reveals: isMoved, pointer: isSelected ? view.pointer : undefined, only: changedOnly() };
}

function takeAction(revision, { action }) {
  if (revision !== view.target) return;
  view.action = action === undefined ? null : parse(action);
  showAction();
}

// The progress of a move in place of the state, until the state is there.
function showFolding(percent) {
  const text = percent === null ? "" : "folding to revision " + number(view.target) + ": " + percent + " %";
  if (byId("folding").textContent !== text) byId("folding").textContent = text;
}

// Shows the target of a move in the parts that do not need its state.
function showTarget() {
  list.show(rowCount(), indexOf(view.target));
  drawTimeline();
  showTravel();
}

function render({ revision, changes: { changes, total }, pages }, isMoved) {
  tree.root = containerOf(pages);
  Object.assign(view, { revision, changes, total, time: view.action?.get("time") });
  if (isMoved) {
    if (!view.isChosen && changes.length > 0) {
      view.pointer = (changes.find((change) => change.change !== "removed") ?? { path: parentOf(changes[0].path) }).path;
    }
    // Opens the first changes, and the selected value. Values that the user closed stay closed until the next step.
    view.shut.clear();
    view.shown.clear();
    for (const path of changes.slice(0, 12).map((change) => change.path).concat(view.pointer)) {
      for (let holder = path; holder !== ""; ) view.shown.add(holder = parentOf(holder));
    }
  }
  showFolding(null);
  showState(isMoved);
  showDifferences();
  showValue();
  showTravel();
  showWhatIf();
  loadBranch();
  loadCauses();
  address();
  showFlag();
  if (isMoved) {
    const { action } = view;
    say("revision " + revision + " of " + log.last + (action ? ", " + escaped(action.get("type")) : ", the start") + ", "
      + plural(view.total, "change"));
  }
}

function showTravel() {
  const { target } = view;
  for (const id of ["slider", "number"]) {
    byId(id).min = log.first;
    byId(id).max = log.last;
  }
  byId("slider").value = target;
  byId("slider").setAttribute("aria-valuetext", "revision " + target + " of " + log.last);
  if (document.activeElement !== byId("number")) byId("number").value = target;
  byId("previous").disabled = byId("start").disabled = target === log.first;
  byId("next").disabled = byId("finish").disabled = target === log.last;
  byId("compare").setAttribute("aria-pressed", String(view.base !== null));
  byId("follow").setAttribute("aria-pressed", String(view.isFollowing));
  byId("follow").disabled = log.isClosed && target === log.last;
  byId("only").setAttribute("aria-pressed", String(view.onlyChanged));
  document.body.classList.toggle("moving", moving !== null);
  byId("tree-place").textContent = tree.root ? "at revision " + number(view.revision) : "";
  showStatus();
}

// A page that follows the log continues at its end.
const fragment = (isFollowing) => (isFollowing ? "#follow" : "#at=" + view.revision)
  + (view.isChosen ? "&path=" + encodeURIComponent(view.pointer) : "");
const wantedFragment = () => fragment(view.isFollowing && !log.isClosed);

// Keeps the position in the address, for links: at once, and of a fast walk the last one. Browsers reject too frequent updates;
// a rejected one is repeated, unless another address was entered meanwhile. A reload before that continues at the position that
// this tab keeps with the address, and with the one before: a browser can reload that one directly after an update.
const addressPause = 200, positionName = "action-log-position " + location.pathname;
let addressing = null, isAddressOld = false, written = location.hash, addresses = [];
function address() {
  isAddressOld = true;
  if (addressing === null) {
    try {
      if (location.hash !== wantedFragment()) history.replaceState(null, "", wantedFragment());
      written = location.hash;
      isAddressOld = false;
    } catch { /* rejected */ }
    addressing = setTimeout(() => {
      addressing = null;
      if (isAddressOld && location.hash === written) address();
    }, addressPause);
  }
  if (addresses.at(-1) !== written) addresses = [addresses.at(-1), written];
  kept.set(positionName, JSON.stringify([addresses, wantedFragment()]));
}

// The position in the address, or a newer one that this tab keeps.
function keptPosition() {
  const { hash } = location;
  try {
    const [shown, newest] = JSON.parse(kept.get(positionName) ?? "[[]]");
    if (hash !== "" && shown.includes(hash)) return newest;
  } catch { /* the one in the address */ }
  return hash;
}
