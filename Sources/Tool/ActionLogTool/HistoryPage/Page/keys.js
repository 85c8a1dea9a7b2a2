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
      for (let place = path; place !== ""; ) view.shown.add(place = parentOf(place));
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
    place = parentOf(place);
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
      view.open.add(place = parentOf(place));
      view.shut.delete(place);
    }
  }
  showState(false);
  showValue();
}

// Finds the last change of the selected value, like `action-log blame` at the current revision.
function ask(at = view.revision, until = actionAt(at)?.time) {
  const change = blame(view.pointer, at);
  const since = first === 0 ? "the beginning" : "revision " + first + ", the first of this page,";
  const text = "unchanged from " + since + " to revision " + at;
  view.answer = { pointer: view.pointer, change, text, until };
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

listen({
  go, target: () => view.revision, first: () => first, last: () => last, list, revisionOf, select, compare, goUntil, filter,
  marks: () => [...marks.keys()], blame: () => ask(), history: showHistory, isReady: () => true, typingPause: 120,
  followBlame(isEarlier) {
    const revision = view.answer?.change?.revision;
    if (revision === undefined) return say("b asks who changed the selected value");
    if (isEarlier) ask(revision - 1, actionAt(revision).time); else go(revision);
  },
  filtered() { if (view.found?.length && indexOf(view.revision) < 0) go(view.found[0]); },
  trees: [{
    rows: tree,
    describe(index) {
      const { pointer, value } = rows[index], hasMembers = !isRest(rows[index]) && isContainer(value) && sizeOf(value) > 0;
      return { pointer, hasMembers, isOpened: isOpen(pointer) };
    },
    choose: (index) => select(rows[index].pointer), toggle: (index) => toggle(index, !isOpen(rows[index].pointer)),
    click(index, isTwisty) {
      const { pointer } = rows[index];
      if (isTwisty || pointer === view.pointer) toggle(index, !isOpen(pointer));
      select(pointer);
    },
  }],
  texts: {
    search: "filter the actions; `Enter` moves to the list, `Esc` leaves the field",
    history: "list the actions that changed the selected value, with the old and new values",
    until: "forward, back, to a revision at which the condition of `report --where` holds",
    escape: "close this list", range: "this page has",
  },
});
document.addEventListener("click", (event) => {
  const { condition } = event.target.dataset ?? {};
  if (condition !== undefined) choose(Number(condition));
});
