// The log, and what this tab shows of it.
const log = { first: 0, last: 0, durable: 0, marksVersion: 0, marks: [], writes: [], types: [], indexed: 0, isClosed: false, damage: null, model: "", path: "" };
const view = {
  // revision: the shown one; target: the one that was requested last.
  revision: 0, target: 0, base: null, pointer: "", isChosen: false, isFollowing: false, onlyChanged: false, seen: 0,
  filter: null, answer: null, changes: [], total: 0, action: null, root: null,
  open: new Set([""]), shut: new Set(), shown: new Set(), touched: new Map(),
};

function fail(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) return enter();
  notice(error);
}

function notice(error) {
  const host = byId("answer");
  host.className = "answer wrong";
  host.replaceChildren(element("span", "", escaped(error.message)));
  if (error.excerpt) host.append(element("pre", "", error.excerpt.join("\n")));
  host.hidden = false;
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

const parentOf = (pointer) => pointer.slice(0, pointer.lastIndexOf("/"));
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
  const found = view.filter.revisions;
  let low = 0, high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (found[middle] < revision) low = middle + 1; else high = middle;
  }
  return found[low] === revision ? low : -1;
}
const marksAt = (revision) => log.marks.filter((mark) => mark.seq === revision);

const list = new Rows(byId("actions"), "option", (index) => {
  const action = actionOf(index), revision = revisionOf(index);
  const row = element("div", "action");
  row.append(element("span", "seq", String(revision)));
  if (action) {
    row.append(element("span", action.durable || revision <= log.durable ? "time" : "time unsure", action.time.slice(11, 19)), typeOf(action));
    if (revision > log.durable && !action.durable) row.lastChild.setAttribute("aria-description", "not yet durable");
    if (action.actor) row.append(element("span", "actor", escaped(action.actor)));
    if (action.text) row.append(element("span", "text", escaped(action.text) + (action.cut ? "…" : "")));
  } else row.append(element("span", "type start", revision > log.first ? "…" : revision === 0 ? "the start" : "the first state of this log"));
  for (const mark of marksAt(revision)) row.append(element("span", "mark", "⚑ " + escaped(mark.name)));
  if (revision === view.base) row.append(element("span", "mark", "compared from here"));
  return row;
});
