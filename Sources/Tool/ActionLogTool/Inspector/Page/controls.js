function select(pointer, isShown = false) {
  view.pointer = pointer;
  view.isChosen = pointer !== "";
  address();
  if (isShown && indexOfPointer(pointer) < 0) {
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
  const base = view.base === null ? view.revision : null;
  go(view.revision, { isFollowing: view.isFollowing, base });
  say(base === null ? "each action is compared with the state before it" : "compared from revision " + base);
}

function goToMark(step) {
  const places = log.marks.map((mark) => mark.seq).sort((a, b) => a - b);
  const found = step > 0 ? places.find((place) => place > view.target) : places.findLast((place) => place < view.target);
  if (found !== undefined) go(found);
}

function treeKey(event) {
  const { pointer, row, container, at } = rowAt(tree.selected);
  const target = tree.target(event.key);
  if (target !== null) {
    const next = rowAt(target);
    if (next.row) {
      select(next.pointer);
      tree.see(target);
    } else if (next.container) fetchRows(next.container, next.at);
  } else if (event.key === "Enter" || event.key === " ") toggle(tree.selected);
  else if (event.key === "ArrowRight") {
    if (!row?.count) return true;
    if (pointer !== "" && !container.inner.has(at)) toggle(tree.selected);
    else if (rowAt(tree.selected + 1).row) select(rowAt(tree.selected + 1).pointer);
  } else if (event.key === "ArrowLeft") {
    if (pointer !== "" && container.inner.has(at)) toggle(tree.selected);
    else if (pointer) {
      select(parentOf(pointer));
      tree.see(tree.selected);
    }
  } else return false;
  return true;
}

function listKey(event) {
  const target = list.target(event.key);
  if (target === null || list.count === 0) return false;
  const revision = revisionOf(target);
  if (revision !== undefined) go(revision);
  return true;
}

function followEnd() {
  view.seen = log.last;
  go(log.last, { isFollowing: true });
}

const plainKeys = new Map([
  ["ArrowLeft", () => go(view.target - 1)], ["ArrowRight", () => go(view.target + 1)],
  ["p", () => go(view.target - 1)], ["n", () => go(view.target + 1)],
  ["Home", () => go(log.first)], ["End", () => go(log.last)],
  ["/", () => { pane("actions"); byId("filter").focus(); byId("filter").select(); }],
  ["g", () => { byId("number").focus(); byId("number").select(); }],
  ["b", () => { pane("details"); blame(); }], ["h", askHistory], ["c", compare], ["f", followEnd],
  ["o", () => { view.onlyChanged = !view.onlyChanged; reload(); }],
  ["y", () => copy(view.pointer, "the path")],
  ["u", () => searchFor("first")], ["U", () => searchFor("last")],
  ["[", () => goToMark(-1)], ["]", () => goToMark(1)],
  ["?", () => byId("help").showModal()],
  ["t", switchAxis], ["m", mark],
  ["Escape", () => { if (asking) asking.abort(); else if (view.range) brush(null); else if (view.zoom) zoom(null); else if (byId("filter").value !== "") { byId("filter").value = ""; filter(""); } }],
]);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open || byId("entry").open || byId("marking").open || !view.root) return;
  const target = event.target;
  if (target.matches("input:not([type=range])")) {
    if (event.key === "Escape") { target.blur(); byId("actions").focus(); event.preventDefault(); }
    return;
  }
  if (target.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  if (target.matches("button") && (event.key === "Enter" || event.key === " ")) return;
  const isDone = target === tree.host ? treeKey(event) : /^(ArrowUp|ArrowDown|Page)/.test(event.key)
    || target === list.host ? listKey(event) : false;
  if (!isDone) {
    const action = plainKeys.get(event.key);
    if (!action) return;
    action();
  }
  event.preventDefault();
});

list.host.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  const revision = row ? revisionOf(Number(row.dataset.index)) : undefined;
  if (revision !== undefined) go(revision);
});
tree.host.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row) return;
  const index = Number(row.dataset.index), { pointer } = rowAt(index);
  if (pointer === undefined) return;
  const isSame = pointer === view.pointer && view.isChosen;
  select(pointer);
  if (event.target.classList.contains("twisty") || isSame) toggle(index);
});
document.addEventListener("click", (event) => {
  const { pointer, blame: wish, tab, revision, search } = event.target.dataset ?? {};
  if (pointer !== undefined) { select(pointer, true); pane("state"); }
  if (wish === "go") go(view.answer.change.seq);
  if (wish === "earlier") blame(view.answer.change.seq - 1);
  if (tab) pane(tab);
  if (revision !== undefined) go(Number(revision));
  if (search === "filter") filter(byId("filter").value); else if (search) searchFor(search);
});
for (const [id, action] of [
  ["start", () => go(log.first)], ["previous", () => go(view.target - 1)], ["next", () => go(view.target + 1)],
  ["finish", () => go(log.last)], ["compare", compare], ["ask", () => blame()], ["keys", () => byId("help").showModal()],
  ["history", askHistory], ["follow", followEnd], ["only", plainKeys.get("o")], ["mark", mark], ["copy-path", plainKeys.get("y")],
  ["copy-value", async () => {
    try { copy(await send("GET", "value", { ...shownPlace(), path: view.pointer }), "the value"); } catch (error) { fail(error); }
  }],
  ["copy-action", () => {
    const members = ["type", "data", "meta"].filter((name) => view.action.has(name));
    copy("{" + members.map((name) => JSON.stringify(name) + ":" + json(view.action.get(name))).join(",") + "}", "the action");
  }],
]) byId(id).addEventListener("click", action);
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
byId("number").addEventListener("change", (event) => {
  const typed = Number(event.target.value);
  if (Number.isInteger(typed) && event.target.value !== "" && typed >= log.first && typed <= log.last) go(typed);
  else { say("this log has the revisions " + log.first + " to " + log.last); event.target.value = view.target; }
});
let waiting;
byId("filter").addEventListener("input", (event) => {
  clearTimeout(waiting);
  const text = event.target.value;
  // A condition can be wrong until it is complete: Enter or a button asks.
  if (isCondition(text.trim())) byId("searches").hidden = false;
  else waiting = setTimeout(filter, 200, text);
});
byId("filter").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  clearTimeout(waiting);
  filter(event.target.value);
  byId("actions").focus();
});
