// The log, and what this tab shows of it.
const log = { first: 0, last: 0, durable: 0, marksVersion: 0, marks: [], writes: [], options: [], models: [], indexed: 0, rollbacks: 0, isClosed: false, damage: null, model: "", path: "" };
const view = {
  // revision: that of the state; target: the one that was requested last; isOld: the list is no answer to the text in the field.
  revision: 0, target: 0, base: null, isOld: false, pointer: "", isChosen: false, isFollowing: false, onlyChanged: false, seen: 0,
  // action: that of the target, and time: that of the revision.
  filter: null, answer: null, changes: [], total: 0, action: null, time: undefined,
  open: new Set([""]), shut: new Set(), shown: new Set(), touched: new Map(),
};

// Reports the progress of a question or a fold. At its end, the text is replaced, unless another one has followed.
let progressText = null;
function sayProgress(text) { say(progressText = text); }
function endProgress(text = "") {
  if (progressText !== null && byId("live").textContent === progressText) say(text);
  progressText = null;
}

// Shows an answer above the list.
function showAnswer(className, ...parts) {
  const host = byId("answer");
  host.className = "answer " + className;
  host.replaceChildren(...parts);
  host.hidden = false;
}

function fail(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) return enter();
  // The status says so, until the server answers again.
  if (error.code === "gone") {
    log.isGone = true;
    return showStatus();
  }
  showAnswer("wrong", element("span", "", escaped(error.message)), ...error.excerpt ? [element("pre", "", error.excerpt.join("\n"))] : []);
}

// The tab has no token, or that of an earlier run.
function enter() {
  if (!byId("entry").open) byId("entry").showModal();
}
byId("entry-form").addEventListener("submit", () => {
  const text = byId("entry-token").value.trim();
  if (!takeToken(text)) takeToken("t=" + text);
  byId("entry-token").value = "";
  begin();
});

const actions = new Chunks(
  async (offset, count) => (await get("actions", { from: log.first + 1 + offset, count })).actions, () => list.draw());

const rowCount = () => view.filter ? view.filter.total : lastShown() - firstShown() + 1;
function actionOf(index) {
  if (view.filter) return view.filter.rows.at(index);
  const offset = firstShown() + index - log.first;
  return offset === 0 ? null : actions.at(offset - 1);
}
// The revision of a row.
const revisionOf = (index) => view.filter ? view.filter.revisions[index] : firstShown() + index;
function indexOf(revision) {
  if (!view.filter) return revision < firstShown() || revision > lastShown() ? -1 : revision - firstShown();
  const { revisions } = view.filter, index = firstFrom(revisions, revision);
  return revisions[index] === revision ? index : -1;
}
// The index of the first revision that is at least another one.
function firstFrom(revisions, revision) {
  let low = 0, high = revisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (revisions[middle] < revision) low = middle + 1; else high = middle;
  }
  return low;
}
// Whether a name in a path was too long for an answer, so that the path leads nowhere.
const isCutPath = (pointer) => tokensOf(pointer).some((name) => name.length > 400 && name.endsWith("…"));
const cutText = "a name in this path is too long for this page: use action-log with the complete path";

// The edits of the what-if at a revision.
const titled = (text, title) => Object.assign(element("span", "mark", text), { title });
const editMarks = (revision) => editsAt(revision).map((edit) =>
  titled({ skip: "off", replace: "replaced", insert: "inserted after", move: "moved" }[edit.kind], "what if: " + nameOf(edit)));

// What the list shows as the time of an action. It is kept for this tab.
const timesName = "action-log-times", timeNames = ["time of day", "since the row before", "since the start"];
let times = Math.max(0, timeNames.indexOf(kept.get(timesName)));
function showTimes() {
  byId("times").textContent = timeNames[times];
  byId("actions").classList.toggle("durations", times > 0);
}
showTimes();
function switchTimes() {
  times = (times + 1) % timeNames.length;
  kept.set(timesName, timeNames[times]);
  showTimes();
  list.draw();
  say("the list shows " + (times === 0 ? "the time of day" : "the time " + timeNames[times]));
}

function timeText(action, index) {
  if (times === 0) return action.time.slice(11, 19);
  const first = view.filter ? 0 : Math.max(0, log.first + 1 - firstShown());
  const before = times === 2 ? actionOf(first) : index > first ? actionOf(index - 1) : null;
  // A row that is not there yet is drawn later.
  if (!before) return "";
  // A clock that was set back makes a negative duration.
  const passed = microseconds(action.time) - microseconds(before.time);
  return (passed < 0 ? "−" : "+") + duration(Math.abs(passed));
}

const marksAt = (revision) => log.marks.filter((mark) => mark.seq === revision);

const list = new Rows(byId("actions"), "option", (index) => {
  const action = actionOf(index), revision = revisionOf(index);
  const row = element("div", "action", element("span", "seq", revision));
  if (action) {
    const isUnsure = revision > log.durable && !action.durable, time = element("span", isUnsure ? "time unsure" : "time", timeText(action, index));
    if (isUnsure) time.setAttribute("aria-description", "not yet durable");
    const { said, failed } = action, colors = timeline.data?.types ?? [];
    // Types without a color of their own have that of the others.
    const known = colors.indexOf(action.type), color = known < 0 ? colors.length - 1 : known;
    row.append(time, ...editMarks(revision), ...color < 0 ? [] : [swatch(color)], typeOf(action, !said && !failed));
    if (said || failed) row.append(element("span", "text", escaped(said), element("span", "failed", escaped(failed))));
    if (action.actor) row.append(element("span", "actor", escaped(action.actor)));
  } else row.append(...editMarks(revision), element("span", "type start", revision > log.first ? "…" : revision === 0 ? "the start" : "the first state of this " + whole));
  for (const mark of marksAt(revision)) row.append(element("span", "mark", "⚑ " + escaped(mark.name)));
  if (revision === view.base) row.append(element("span", "mark", "compared from here"));
  if (editsAt(revision).some(({ kind }) => kind === "skip" || kind === "move")) row.classList.add("off");
  if (revision === whatIf.answer?.firstDivergence) row.append(titled("differs", "the states of the what-if differ from here"));
  return row;
});

function showStatus() {
  const host = byId("status"), waiting = log.last - Math.max(view.seen, view.isFollowing ? log.last : 0);
  const text = log.damage ? escaped(log.damage) : log.isGone ? "the server does not answer: start action-log inspect again"
    : (log.isClosed ? "closed " : "live ") + number(log.last) + (waiting > 0 ? " (+" + number(waiting) + ")" : "");
  host.className = log.damage || log.isGone ? "wrong" : log.isClosed ? "" : "live";
  if (host.textContent !== text) host.textContent = text;
}

function showMarks() {
  byId("marks").replaceChildren(...log.marks.map(({ name, seq, remark }) => buttonOf("mark", "⚑ " + escaped(name), {
    title: "revision " + seq + (remark ? ": " + escaped(remark) : ""), data: { revision: seq },
  })));
  byId("marks").hidden = log.marks.length === 0;
}

async function readMarks() {
  const { marks, marksVersion } = await get("log");
  Object.assign(log, { marks, marksVersion });
  showMarks();
  if (tree.root) showAction();
}

async function changeMark(method, path, body) {
  try {
    await send(method, path, {}, body);
    await readMarks();
    list.draw();
    drawTimeline();
    say(method === "PUT" ? "marked revision " + body.revision : "the mark is removed");
  } catch (error) { fail(error); }
}

// The revision that the dialog marks, also if the page follows the log while the dialog is open.
let marked = 0;
function mark() {
  if (!log.writes.includes("marks")) {
    return say("inspect was started without --allow-marks: action-log mark " + escaped(log.path) + " " + view.target + " NAME");
  }
  marked = view.target;
  byId("marking-title").textContent = "Mark revision " + marked;
  byId("marking").showModal();
  byId("mark-name").focus();
}
byId("marking-form").addEventListener("submit", () => {
  const name = byId("mark-name").value, remark = byId("mark-remark").value;
  byId("mark-name").value = byId("mark-remark").value = "";
  changeMark("PUT", "marks", { name, revision: marked, ...(remark ? { remark } : {}) });
});

// The page moves at most ten times a second.
const movePause = 100;
let isFollowed = false;
// What the page shows of the last state while it follows the log: it comes with the news.
const followed = () => JSON.stringify(view.isFollowing && tree.root
  ? { view: viewName, base: view.base ?? undefined, ...openPaths(true) } : {});
async function follow() {
  // After a new token was entered, the loop may still run: it goes on with the new one.
  if (isFollowed) return;
  isFollowed = true;
  let waiting = 0;
  for (;;) {
    if (document.hidden) await new Promise((done) => { document.addEventListener("visibilitychange", done, { once: true }); });
    if (document.hidden) continue;
    const token = sessionStorage.getItem(tokenName), wish = followed();
    try {
      const news = JSON.parse(await send("POST", "follow",
        { after: log.last, marks: log.marksVersion, wait: log.indexed < log.last ? 1 : 20 }, JSON.parse(wish)));
      [log.isGone, waiting] = [false, 0];
      await take(news, wish);
    } catch (error) {
      if (error.status === 401) {
        if (token !== sessionStorage.getItem(tokenName)) continue;
        isFollowed = false;
        return enter();
      }
      fail(error);
      await pause(waiting = Math.min(8000, waiting * 2 || 1000));
    }
    await pause(movePause);
  }
}

async function take(news, wish) {
  const { last, indexed, rollbacks } = log;
  Object.assign(log, {
    last: news.last, indexed: news.indexed, durable: news.durable, isClosed: news.isClosed, damage: news.damage ?? null,
    rollbacks: news.rollbacks,
  });
  if (news.rollbacks !== rollbacks) {
    // Actions were rolled back or redacted, so everything is read again.
    actions.renew(0);
    view.filter?.rows.renew(0);
    view.answer = null;
    closeMinimized();
    if (tree.root && !moving && view.revision <= news.last) reload();
  } else if (news.last > last) actions.add(last - log.first, news.actions ?? []);
  if (news.last !== last) {
    if (last + (news.actions?.length ?? 0) !== news.last) actions.renew(Math.min(last, news.last) - log.first - 1);
    if (view.base !== null && view.base > news.last) view.base = null;
    list.show(rowCount(), indexOf(view.target), false);
  }
  if (news.marksVersion !== log.marksVersion) await readMarks();
  if (news.indexed !== indexed) renew();
  const isBehind = view.isFollowing && !moving && news.last !== view.revision;
  if (isBehind && news.place?.changes && news.place.revision === news.last && wish === followed()) {
    Object.assign(view, { target: news.last, seen: news.last });
    takeAction(news.last, news.place);
    showTarget();
    render(news.place, true);
  } else if (isBehind || view.revision > log.last) go(log.last, { isFollowing: view.isFollowing });
  else {
    list.draw();
    showTravel();
  }
}

// What follows a growing log once a second.
const renewPause = 1000;
let renewed = -renewPause, isRenewing = false;
async function renew() {
  if (isRenewing) return;
  isRenewing = true;
  await pause(Math.max(0, renewed + renewPause - performance.now()));
  renewed = performance.now();
  isRenewing = false;
  loadCauses();
  await loadTimeline();
}
