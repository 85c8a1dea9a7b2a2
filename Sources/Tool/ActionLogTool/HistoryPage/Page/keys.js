function render(isMoved) {
  const { revision } = view;
  byId("slider").value = revision;
  byId("slider").setAttribute("aria-valuetext", "revision " + revision + " of " + last);
  byId("number").value = revision;
  const found = stepDifferences(revision);
  const compared = view.base === null ? found : differences(stateAt(view.base), stateAt(revision));
  noteChanges(compared);
  if (isMoved && !view.isChosen && compared.length > 0) view.pointer = firstChanged(compared);
  if (isMoved) {
    // Expands the first changes. Values that the user collapsed stay collapsed until the next step.
    view.shut.clear();
    view.shown.clear();
    const places = view.isChosen ? [] : [{ path: view.pointer }];
    for (const { path } of compared.slice(0, 12).concat(places)) {
      for (let place = path; place !== ""; ) view.shown.add(place = place.slice(0, place.lastIndexOf("/")));
    }
  }
  byId("previous").disabled = byId("start").disabled = revision === first;
  byId("next").disabled = byId("finish").disabled = revision === last;
  byId("compare").setAttribute("aria-pressed", String(view.base !== null));
  list.show(view.found ? view.found.length : last - first + 1, indexOf(revision));
  showState(isMoved);
  showDifferences(compared);
  showAction();
  showValue();
  return compared.length;
}

// The first changed value that still exists, or else the container of the first removed value.
function firstChanged(found) {
  const present = found.find((change) => change.new !== undefined);
  if (present) return present.path;
  let place = found[0].path;
  while (place !== "" && lookUp(stateAt(view.revision), tokensOf(place)) === undefined) {
    place = place.slice(0, place.lastIndexOf("/"));
  }
  return place;
}

function go(revision) {
  revision = Math.min(last, Math.max(first, revision));
  if (revision === view.revision) return;
  view.revision = revision;
  const count = render(true);
  const action = actionAt(revision);
  say("revision " + revision + " of " + last + (action ? ", " + escaped(action.type) : ", the start") + ", "
    + plural(count, "change"));
  clearTimeout(addressing);
  addressing = setTimeout(address, 200);
}

// Keeps the position in the address, for links. Browsers reject too frequent updates.
let addressing;
function address() {
  try {
    history.replaceState(null, "", "#" + view.revision + (view.isChosen ? ":" + encodeURI(view.pointer) : ""));
  } catch { /* the address is updated next time */ }
}

function select(pointer, isShown = false) {
  view.pointer = pointer;
  view.isChosen = pointer !== "";
  address();
  if (isShown) {
    for (let place = pointer; place !== ""; ) {
      view.open.add(place = place.slice(0, place.lastIndexOf("/")));
      view.shut.delete(place);
    }
  }
  showState(false);
  showValue();
}

// Finds the last change of the selected value, like `action-log blame` at the current revision.
function ask(at = view.revision) {
  const change = blame(view.pointer, at);
  const since = first === 0 ? "the beginning" : "revision " + first + ", the first of this page,";
  const text = "unchanged from " + since + " to revision " + at;
  view.answer = { pointer: view.pointer, change, text };
  showValue();
  say(change ? "changed by action " + change.revision + ", " + escaped(actionAt(change.revision).type) + ", from "
    + shown(change.old) + " to " + shown(change.new) : text);
}

function toggle(index, isOpened) {
  const { pointer, value } = rows[index];
  if (isRest(rows[index]) || !isContainer(value) || sizeOf(value) === 0) return;
  if (isOpened) { view.open.add(pointer); view.shut.delete(pointer); } else { view.open.delete(pointer); view.shut.add(pointer); }
  showState(false);
}

// Filters by words in the type, actor, data and metadata, or by the path of a changed value.
function filter(text) {
  const wanted = text.trim();
  const { condition } = view;
  view.found = view.changes = null;
  if (isCondition(wanted)) {
    byId("count").textContent = "conditions are for 'report --where'";
    say("this page cannot evaluate conditions: 'report --where CONDITION' writes a page with the matching revisions");
    return list.show(last - first + 1, indexOf(view.revision));
  }
  if (wanted.startsWith("/")) {
    const tokens = tokensOf(wanted);
    view.found = [];
    view.changes = new Map();
    for (let place = first + 1; place <= last; place++) {
      const change = changeOf(tokens, place);
      if (!change) continue;
      view.found.push(place);
      view.changes.set(place, change);
    }
  } else if (wanted !== "") {
    const words = wanted.toLowerCase().split(/\s+/);
    view.found = [];
    for (let place = first + 1; place <= last; place++) {
      const action = actionAt(place);
      action.text ??= [action.type, action.actor, ...[action.data, action.meta].map((value) => value ? json(value) : "")]
        .join("\n").toLowerCase();
      if (words.every((word) => action.text.includes(word))) view.found.push(place);
    }
  }
  if (condition !== null) {
    if (!view.found) for (view.found = []; view.found.length < last - first + 1; ) view.found.push(first + view.found.length);
    view.found = view.found.filter((place) => holds(conditions[condition], place));
  }
  const total = plural(last - first, "action");
  byId("count").textContent = view.found ? number(view.found.length) + " of " + total : total;
  if (view.found) say(plural(view.found.length, "action") + " of " + number(last - first) + " found");
  list.show(view.found ? view.found.length : last - first + 1, indexOf(view.revision));
}

function compare() {
  view.base = view.base === null ? view.revision : null;
  say(view.base === null ? "each action is compared with the state before it" : "compared from revision " + view.base);
  render(false);
}

function goToMark(step) {
  const places = [...marks.keys()].sort((a, b) => a - b);
  const found = step > 0 ? places.find((place) => place > view.revision) : places.findLast((place) => place < view.revision);
  if (found !== undefined) go(found);
}

// Filters by a condition, in addition to the text.
function choose(index) {
  view.condition = view.condition === index ? null : index;
  for (const button of byId("conditions").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.condition) === view.condition));
  }
  filter(byId("filter").value);
}

// Moves like `until` and `reverse-until`, with the selected condition or else the first one.
function goUntil(isForward) {
  const condition = conditions[view.condition ?? 0];
  if (!condition) return say("this page has no condition: 'report --where CONDITION' writes one that does");
  const { ends } = condition, index = rangeIndex(condition, view.revision + (isForward ? 1 : 0));
  const target = isForward ? Math.max(ends[2 * index], view.revision + 1)
    : ends[2 * index] < view.revision ? view.revision - 1 : ends[2 * index - 1];
  if (target >= first && target <= last) return go(target);
  say(escaped(condition.text) + " holds nowhere " + (isForward ? "after" : "before") + " revision " + view.revision + " on this page");
}

function showHistory() {
  if (view.pointer === "") return say("select a value: every action changes the state");
  byId("filter").value = view.pointer;
  filter(view.pointer);
  pane("actions");
  byId("actions").focus();
}

function treeKey(event) {
  const row = rows[tree.selected];
  const target = tree.target(event.key);
  if (target !== null) select(rows[target].pointer);
  else if (event.key === "Enter" || event.key === " ") toggle(tree.selected, !isOpen(row.pointer));
  else if (event.key === "ArrowRight") {
    if (!isContainer(row.value) || sizeOf(row.value) === 0) return true;
    if (!isOpen(row.pointer)) toggle(tree.selected, true); else select(rows[tree.selected + 1].pointer);
  } else if (event.key === "ArrowLeft") {
    if (isContainer(row.value) && sizeOf(row.value) && isOpen(row.pointer)) toggle(tree.selected, false);
    else if (row.pointer !== "") select(row.pointer.slice(0, row.pointer.lastIndexOf("/")));
  } else return false;
  return true;
}

function listKey(event) {
  const target = list.target(event.key);
  if (target === null || list.count === 0) return false;
  go(revisionOf(target));
  return true;
}

const plainKeys = new Map([
  ["ArrowLeft", () => go(view.revision - 1)], ["ArrowRight", () => go(view.revision + 1)],
  ["p", () => go(view.revision - 1)], ["n", () => go(view.revision + 1)],
  ["Home", () => go(first)], ["End", () => go(last)],
  ["/", () => { pane("actions"); byId("filter").focus(); byId("filter").select(); }],
  ["g", () => { byId("number").focus(); byId("number").select(); }],
  ["b", () => { pane("details"); ask(); }], ["c", compare],
  ["[", () => goToMark(-1)], ["]", () => goToMark(1)], ["h", showHistory],
  ["u", () => goUntil(true)], ["U", () => goUntil(false)],
  ["?", () => byId("help").showModal()],
]);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
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
  if (row) go(revisionOf(Number(row.dataset.index)));
});
tree.host.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row) return;
  const index = Number(row.dataset.index), { pointer } = rows[index];
  if (event.target.classList.contains("twisty") || pointer === view.pointer) toggle(index, !isOpen(pointer));
  select(pointer);
});
document.addEventListener("click", (event) => {
  const { pointer, blame: wish, tab, mark, condition } = event.target.dataset ?? {};
  if (pointer !== undefined) { select(pointer, true); pane("state"); }
  if (wish === "go") go(view.answer.change.revision);
  if (wish === "earlier") ask(view.answer.change.revision - 1);
  if (tab) pane(tab);
  if (mark !== undefined) go(Number(mark));
  if (condition !== undefined) choose(Number(condition));
});
for (const [id, action] of [
  ["start", () => go(first)], ["previous", () => go(view.revision - 1)], ["next", () => go(view.revision + 1)],
  ["finish", () => go(last)], ["compare", compare], ["ask", () => ask()], ["keys", () => byId("help").showModal()],
  ["history", showHistory],
]) byId(id).addEventListener("click", action);
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
byId("number").addEventListener("change", (event) => {
  const typed = Number(event.target.value);
  if (Number.isInteger(typed) && event.target.value !== "" && typed >= first && typed <= last) go(typed);
  else { say("this page has the revisions " + first + " to " + last); event.target.value = view.revision; }
});
let waiting;
byId("filter").addEventListener("input", (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, 120, event.target.value);
});
byId("filter").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  clearTimeout(waiting);
  filter(event.target.value);
  byId("actions").focus();
  if (view.found?.length && indexOf(view.revision) < 0) go(view.found[0]);
});
