// The move that is under way, and its end.
let moving = null, arrival = Promise.resolve();
// Moves to a revision. Only the last of several moves is completed.
async function go(revision, { isFollowing = false, base = view.base, isRedrawn = false } = {}) {
  revision = Math.min(log.last, Math.max(log.first, revision));
  if (revision === view.target && base === view.base && !isRedrawn) {
    view.isFollowing ||= isFollowing;
    return showTravel();
  }
  moving?.abort();
  const controller = moving = new AbortController();
  view.target = revision;
  view.base = base;
  view.isFollowing = isFollowing || revision === log.last && !log.isClosed;
  if (view.isFollowing) view.seen = log.last;
  showTravel();
  await (arrival = arrive(revision, controller.signal));
}

async function arrive(revision, signal) {
  const isMoved = revision !== view.revision || tree.root === null;
  try {
    const found = await near(() => load(revision, isMoved), signal);
    if (signal.aborted) return;
    moving = null;
    render(found, isMoved);
    // Actions that arrived during the move.
    if (view.isFollowing && view.revision < log.last) go(log.last, { isFollowing: true });
  } catch (error) {
    if (signal.aborted) return;
    moving = null;
    view.target = view.revision;
    fail(error);
    showTravel();
  }
}

// Repeats a request after a job has folded the state that it needs: that of the recording, or of a branch.
async function near(request, signal, place = () => ({ at: view.target, base: view.base })) {
  for (;;) {
    try { return await request(); } catch (error) {
      if (error.code !== "notNear") throw error;
      const text = byId("live").textContent;
      try {
        await run({ kind: "go", view: viewName, ...place() }, {
          signal, progress: ({ reached, of }) => sayProgress("folding: " + number(reached) + (of ? " of " + number(of) : "") + " actions"),
        });
      } finally { endProgress(text === progressText ? "" : text); }
    }
  }
}

async function load(revision, isMoved) {
  const parameters = { view: viewName, at: revision, base: view.base };
  const differences = await get("changes", { ...parameters, count: 200 });
  if (revision !== view.target) throw new DOMException("replaced", "AbortError");
  if (isMoved) {
    const { changes } = differences;
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
  const [root, action] = await Promise.all([
    tree.read("", parameters), revision > log.first ? getExact("action", { at: revision }) : null,
  ]);
  return { revision, differences, root, action };
}

function render({ revision, differences, root, action }, isMoved) {
  tree.root = root;
  Object.assign(view, { revision, action, changes: differences.changes, total: differences.total });
  list.show(rowCount(), indexOf(revision));
  showState(isMoved);
  showDifferences();
  showAction();
  showValue();
  showTravel();
  drawTimeline();
  showWhatIf();
  loadBranch();
  loadCauses();
  address();
  if (app.isMoved) moveApp(revision);
  if (isMoved) {
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
  showStatus();
}

const fragment = () => "#at=" + view.revision + (view.isChosen ? "&path=" + encodeURIComponent(view.pointer) : "");

// Keeps the position in the address, for links: at once, and of a fast walk the last one. Browsers reject too frequent updates;
// a rejected one is repeated, unless another address was entered meanwhile. A reload before that continues at the position that
// this tab keeps with the address, and with the one before: a browser can reload that one directly after an update.
const addressPause = 200, positionName = "action-log-position";
let addressing = null, isAddressOld = false, written = location.hash, addresses = [];
function address() {
  isAddressOld = true;
  if (addressing === null) {
    try {
      history.replaceState(null, "", fragment());
      written = location.hash;
      isAddressOld = false;
    } catch { /* rejected */ }
    addressing = setTimeout(() => {
      addressing = null;
      if (isAddressOld && location.hash === written) address();
    }, addressPause);
  }
  if (addresses.at(-1) !== written) addresses = [addresses.at(-1), written];
  sessionStorage.setItem(positionName, JSON.stringify([addresses, fragment()]));
}

// The position in the address, or a newer one that this tab keeps.
function keptPosition() {
  const { hash } = location;
  try {
    const [shown, newest] = JSON.parse(sessionStorage.getItem(positionName) ?? "[[]]");
    if (hash !== "" && shown.includes(hash)) return newest;
  } catch { /* the one in the address */ }
  return hash;
}

// A running app that shows the revision of this page. Its port is that of its file; 0 if there is none.
const app = { port: 0, isMoved: false, isBusy: false, wanted: undefined };

async function findApp(port) {
  if (port === app.port) return;
  Object.assign(app, { port, isMoved: false });
  byId("app").hidden = true;
  showApp();
  if (port === 0) return;
  try {
    const found = await get("app");
    if (port === app.port) byId("app").hidden = !found.isRunning;
  } catch (error) { fail(error); }
}

// Only the last of several moves is sent. `null` is the present.
async function moveApp(revision) {
  app.wanted = revision;
  if (app.isBusy) return;
  app.isBusy = true;
  try {
    while (app.wanted !== undefined) {
      const next = app.wanted;
      app.wanted = undefined;
      await send("POST", "app", {}, { revision: next });
    }
  } catch (error) {
    app.isMoved = false;
    app.wanted = undefined;
    if (error.code === "appEnded" || error.code === "noApp") byId("app").hidden = true;
    fail(error);
  } finally {
    app.isBusy = false;
    showApp();
  }
}

function switchApp() {
  if (byId("app").hidden) return;
  app.isMoved = !app.isMoved;
  say(app.isMoved ? "the running app shows the revision of this page" : "the running app shows the present");
  moveApp(app.isMoved ? view.revision : null);
  showApp();
}

function showApp() { byId("app").setAttribute("aria-pressed", String(app.isMoved)); }

// Without this page nothing would move the app back.
addEventListener("pagehide", () => {
  if (app.isMoved) send("POST", "app", {}, { revision: null }, true).catch(() => {});
});
