const view = {
  // isChosen: whether the user selected the value at the pointer; otherwise it is the first change of an action.
  revision: first, base: null, pointer: "", isChosen: false, found: null, changes: null, condition: null, answer: null, isMoved: true,
  open: new Set([""]), shut: new Set(), shown: new Set(),
};
const marks = new Map();
for (const mark of about.marks) marks.set(mark.revision, [...(marks.get(mark.revision) ?? []), mark]);
// The conditions of the page, with the ends of the ranges of revisions in which they hold.
const { conditions } = about;
// The first range that ends at or after a revision.
function rangeIndex({ ends }, revision) {
  let low = 0, high = ends.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[2 * middle + 1] < revision) low = middle + 1; else high = middle;
  }
  return low;
}
const holds = (condition, revision) => condition.ends[2 * rangeIndex(condition, revision)] <= revision;
const shown = (value) => value === undefined ? nothing : line(value);

// The list of actions.
const revisionOf = (index) => view.found ? view.found[index] : first + index;
function indexOf(revision) {
  if (!view.found) return revision - first;
  let low = 0, high = view.found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.found[middle] < revision) low = middle + 1; else high = middle;
  }
  return view.found[low] === revision ? low : -1;
}

// The old and the new value, for an action that is listed because it changed one value.
function valuesOf(action, { old, new: after }) {
  const values = element("span", "values");
  values.append(element("del", "", shown(old)), element("ins", "", shown(after)));
  values.title = escaped(action.type);
  return values;
}

const list = new Rows(byId("actions"), "option", (index) => {
  const revision = revisionOf(index), action = actionAt(revision);
  const row = element("div", "action");
  row.append(element("span", "seq", String(revision)));
  if (action) {
    const change = view.changes?.get(revision);
    row.append(element("span", "time", action.time.slice(11, 19)), change ? valuesOf(action, change) : typeOf(action));
    if (action.actor && !change) row.append(element("span", "actor", escaped(action.actor)));
  } else row.append(element("span", "type start", revision === 0 ? "the start" : "the first state of this page"));
  for (const mark of marks.get(revision) ?? []) row.append(element("span", "mark", "⚑ " + escaped(mark.name)));
  if (conditions.some((condition) => holds(condition, revision))) {
    const sign = row.appendChild(element("span", "mark", "◆"));
    sign.title = "holds: " + conditions.filter((condition) => holds(condition, revision))
      .map((condition) => escaped(condition.text)).join("; ");
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", sign.title);
  }
  if (revision === view.base) row.append(element("span", "mark", "compared from here"));
  return row;
});

// The state: the rows of expanded values, and the changes of the action.
let rows = [], touched = new Map(), inside = new Set();
function noteChanges(found) {
  touched = new Map();
  inside = new Set();
  for (const { path, old, new: after } of found) {
    touched.set(path, old === undefined ? "added" : after === undefined ? "removed" : "changed");
    for (let place = path; place !== ""; ) inside.add(place = parentOf(place));
  }
}

// The pointer of the row for left-out values. No name in a pointer is a lone "~".
const restPointer = (pointer) => pointer + "/~";
const isRest = (row) => row.rest !== undefined;
const isOpen = (pointer) => !view.shut.has(pointer) && (view.open.has(pointer) || view.shown.has(pointer));
function flatten(value, pointer, depth, name, place, siblings) {
  rows.push({ pointer, depth, name, value, place, siblings });
  if (!isContainer(value) || !isOpen(pointer)) return;
  if (value instanceof Map) {
    const names = sortedNames(value);
    names.forEach((name, index) =>
      flatten(value.get(name), pointer + "/" + token(name), depth + 1, name, index + 1, sizeOf(value)));
    if (value.leftOut) {
      rows.push({ pointer: restPointer(pointer), depth: depth + 1, rest: value.leftOut, place: names.length + 1,
        siblings: sizeOf(value) });
    }
  } else {
    for (let index = 0; index < value.length; index++) {
      const start = index;
      while (value[index] instanceof LeftOut) index++;
      if (index > start) {
        rows.push({ pointer: pointer + "/" + start, depth: depth + 1, rest: index - start, place: start + 1,
          siblings: value.length });
      }
      if (index < value.length) {
        flatten(value[index], pointer + "/" + index, depth + 1, index, index + 1, value.length);
      }
    }
  }
}

const tree = new Rows(byId("state"), "treeitem", (index) => {
  const { pointer, depth, name, value, place, siblings, rest } = rows[index];
  const kind = touched.get(pointer);
  const row = element("div", "value" + (kind ? " " + kind : inside.has(pointer) ? " inside" : ""));
  row.style.paddingInlineStart = `calc(${Math.min(depth, 24)} * 1.1em + .3em)`;
  row.setAttribute("aria-level", depth + 1);
  row.setAttribute("aria-posinset", place);
  row.setAttribute("aria-setsize", siblings);
  if (isRest(rows[index])) {
    row.append(element("span", "twisty", ""), element("span", "remark", "… " + number(rest) + " more, not on this page"));
    return row;
  }
  const twisty = element("span", "twisty", isContainer(value) && sizeOf(value) ? isOpen(pointer) ? "▾" : "▸" : "");
  twisty.setAttribute("aria-hidden", "true");
  row.append(twisty);
  row.append(element("span", "name", name === null ? "state" : typeof name === "number" ? String(name) : escaped(name)));
  if (isContainer(value)) {
    if (sizeOf(value)) row.setAttribute("aria-expanded", String(isOpen(pointer)));
    const isObject = value instanceof Map;
    row.append(element("span", "size", sizeOf(value) === 0 ? isObject ? "{}" : "[]"
      : isObject ? "{" + number(sizeOf(value)) + "}" : "[" + number(sizeOf(value)) + "]"));
  } else row.append(element("span", "scalar " + (value instanceof Num ? "number" : typeof value), line(value)));
  if (kind) row.append(element("span", "badge", kind));
  return row;
});

function showState(isMoved) {
  rows = [];
  flatten(stateAt(view.revision), "", 0, null, 1, 1);
  let index = rows.findIndex((row) => row.pointer === view.pointer);
  if (index < 0) index = 0;
  tree.show(rows.length, index, false);
  // After a step, the first change is scrolled into view.
  const firstChange = isMoved ? rows.findIndex((row) => touched.has(row.pointer)) : index;
  if (firstChange >= 0) tree.see(firstChange);
}

// The differences.
const differenceLimit = 200;
function showDifferences(found) {
  const host = byId("differences");
  const from = view.base === null ? null : view.base;
  byId("differences-title").textContent = from === null
    ? view.revision === first ? "What changed" : "What action " + view.revision + " changed"
    : "From revision " + from + " to " + view.revision;
  const items = found.slice(0, differenceLimit).map(({ path, old, new: after }) => {
    const kind = old === undefined ? "added" : after === undefined ? "removed" : "changed";
    const item = element("li", kind);
    const place = element("button", "path", path === "" ? "the whole state" : escaped(path));
    place.type = "button";
    place.dataset.pointer = path;
    item.append(element("span", "sign", { added: "+", removed: "−", changed: "~" }[kind]), place);
    item.firstChild.setAttribute("aria-label", kind);
    item.firstChild.setAttribute("role", "img");
    const values = element("div", "values");
    if (old !== undefined) values.append(element("del", "", line(old)));
    if (after !== undefined) values.append(element("ins", "", line(after)));
    item.append(values);
    return item;
  });
  if (found.length > differenceLimit) {
    items.push(element("li", "remark", "… and " + plural(found.length - differenceLimit, "more difference")));
  }
  if (found.length === 0) {
    items.push(element("li", "remark", from === null && view.revision === first
      ? first === 0 ? "The state before any action." : "The first state of this page." : "Nothing."));
  }
  host.replaceChildren(...items);
}

// The action: when, who, data and metadata.
function showAction() {
  const action = actionAt(view.revision), host = byId("action");
  host.replaceChildren();
  byId("action-title").textContent = action ? escaped(action.type) : view.revision === 0 ? "The start" : "Revision " + first;
  if (action) {
    fact(host, "when", timeOf(action.time) + " UTC");
    fact(host, "who", action.actor ? escaped(action.actor) : "not recorded");
    for (const [name, value] of [["data", action.data], ["meta", action.meta]]) {
      if (!(value instanceof Map)) continue;
      for (const member of value.keys()) {
        if (name === "meta" && member === "actor") continue;
        fact(host, escaped((name === "meta" ? "meta " : "") + member), line(value.get(member), 2000));
      }
    }
  }
  for (const mark of marks.get(view.revision) ?? []) {
    fact(host, "mark", escaped(mark.name + (mark.remark ? ": " + mark.remark : "")));
  }
}

// The selected value, and the action that changed it.
function showValue() {
  const value = known(stateAt(view.revision), tokensOf(view.pointer));
  byId("pointer").textContent = view.pointer === "" ? "the whole state" : escaped(view.pointer);
  byId("value").textContent = value === undefined ? "nothing at this revision"
    : value instanceof LeftOut ? "not on this page: no action of the page changes it" : line(value, 600);
  const host = byId("blame"), answer = view.answer;
  host.replaceChildren();
  if (!answer || answer.pointer !== view.pointer) return;
  if (!answer.change) {
    host.append(element("p", "remark", answer.text));
    return;
  }
  const { revision, old, new: after } = answer.change, text = (value) => value === undefined ? undefined : line(value);
  showSetter(host, { ...actionAt(revision), seq: revision, old: text(old), new: text(after) }, answer.until);
}
