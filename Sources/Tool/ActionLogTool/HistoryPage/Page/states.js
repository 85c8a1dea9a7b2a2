const lines = document.getElementById("data").textContent.split("\n");
const about = JSON.parse(lines[0]);
const first = about.first, last = about.last;

// Counts the work for tests: opening a page must not read all of its lines.
const work = { linesRead: 0, changesApplied: 0, rowsMade: 0 };

const parts = new Map();
function partsOf(revision) {
  let found = parts.get(revision);
  if (!found) parts.set(revision, found = lines[revision - first + 1].split("\t"));
  return found;
}

// The action of a revision: time, type, actor, data, meta.
const actions = new Map();
function actionAt(revision) {
  if (revision === first) return null;
  let action = actions.get(revision);
  if (!action) {
    work.linesRead++;
    const [time, type, data, meta] = parse(partsOf(revision)[0]);
    const actor = meta instanceof Map && typeof meta.get("actor") === "string" ? meta.get("actor") : "";
    actions.set(revision, action = { revision, time, type, actor, data, meta });
  }
  return action;
}

// The changes of a revision, each [kind, path, value]: "+" adds, "-" removes, "=" replaces, as in RFC 6902.
const changes = new Map();
function changesAt(revision) {
  if (revision === first) return [];
  let found = changes.get(revision);
  if (!found) {
    found = parse(partsOf(revision)[1]).map(([kind, path, value]) => ({ kind, path, tokens: tokensOf(path), value }));
    changes.set(revision, found);
  }
  return found;
}

// Applies a change. Modifies only the objects in `own`, and copies others, which are shared with earlier states.
function edited(node, change, depth, own) {
  const { kind, tokens, value } = change;
  if (depth === tokens.length) return value;
  let copy = node;
  if (!own.has(node)) own.add(copy = copied(node));
  const name = tokens[depth];
  if (copy instanceof Map) {
    if (depth === tokens.length - 1 && kind === "-") copy.delete(name);
    else copy.set(name, edited(copy.get(name), change, depth + 1, own));
  } else {
    const index = Number(name);
    if (depth < tokens.length - 1 || kind === "=") copy[index] = edited(copy[index], change, depth + 1, own);
    else if (kind === "+") copy.splice(index, 0, value);
    else copy.splice(index, 1);
  }
  return copy;
}

// The interval at which visited states are cached.
const stride = 256;
const kept = new Map([[first, parse(lines[1])]]);
let latest = first;
lines.forEach((text, index) => {
  if (index < 2) return;
  const second = text.indexOf("\t", text.indexOf("\t") + 1);
  if (second >= 0) kept.set(first + index - 1, undefined);
});
const keyframes = [...kept.keys()];

function keptAt(revision) {
  let state = kept.get(revision);
  if (state === undefined) kept.set(revision, state = parse(partsOf(revision)[2]));
  return state;
}

function nearest(revision) {
  let best = first;
  let low = 0, high = keyframes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyframes[middle] <= revision) { best = keyframes[middle]; low = middle + 1; } else high = middle;
  }
  for (let place = revision - revision % stride; place > best; place -= stride) {
    if (kept.has(place)) { best = place; break; }
  }
  return latest <= revision && latest > best && kept.has(latest) ? latest : best;
}

function stateAt(revision) {
  let place = nearest(revision);
  let state = keptAt(place);
  if (place === revision) return state;
  let own = new Set();
  while (place < revision) {
    place++;
    for (const change of changesAt(place)) {
      state = edited(state, change, 0, own);
      work.changesApplied++;
    }
    if (place % stride === 0 && place < revision) {
      kept.set(place, state);
      own = new Set();
    }
  }
  // The latest state is cached, because the next step begins there.
  if (latest % stride !== 0 && latest !== first && !partsOf(latest)[2]) kept.delete(latest);
  kept.set(revision, state);
  latest = revision;
  return state;
}

// Whether a change can affect the value at a path: it is above or below it, or shifts elements of an array above it.
function concerns(change, tokens) {
  const path = change.tokens;
  let depth = 0;
  while (depth < path.length && depth < tokens.length && path[depth] === tokens[depth]) depth++;
  if (depth === path.length || depth === tokens.length) return true;
  return depth === path.length - 1 && change.kind !== "=" && isIndex(path[depth]) && isIndex(tokens[depth])
    && Number(path[depth]) <= Number(tokens[depth]);
}

// The change of a value by the action of a revision, or null.
function changeOf(tokens, revision) {
  if (!changesAt(revision).some((change) => concerns(change, tokens))) return null;
  const before = lookUp(stateAt(revision - 1), tokens), after = lookUp(stateAt(revision), tokens);
  const isSame = before === undefined || after === undefined ? before === after : equal(before, after);
  return isSame ? null : { revision, old: before, new: after };
}

// The last change of a value at or before a revision, or null if there is none on this page.
function blame(pointer, revision) {
  const tokens = tokensOf(pointer);
  for (let place = revision; place > first; place--) {
    const change = changeOf(tokens, place);
    if (change) return change;
  }
  return null;
}

// The changes of an action as the engine recorded them, with the old values.
function stepDifferences(revision) {
  if (revision === first) return [];
  let state = stateAt(revision - 1);
  const own = new Set();
  return changesAt(revision).map((change) => {
    const old = change.kind === "+" ? undefined : lookUp(state, change.tokens);
    state = edited(state, change, 0, own);
    return { path: change.path, old, new: change.kind === "-" ? undefined : change.value };
  });
}

// The differences between two states. Parts that they share are the same object, and are skipped.
function differences(a, b, path = "", found = []) {
  if (a === b) return found;
  if (a instanceof Map && b instanceof Map) {
    for (const name of [...new Set([...a.keys(), ...b.keys()])].sort(compareNames)) {
      const place = path + "/" + token(name);
      if (!b.has(name)) found.push({ path: place, old: a.get(name), new: undefined });
      else if (!a.has(name)) found.push({ path: place, old: undefined, new: b.get(name) });
      else differences(a.get(name), b.get(name), place, found);
    }
  } else if (Array.isArray(a) && Array.isArray(b)) {
    let start = 0, end = 0;
    const shorter = Math.min(a.length, b.length);
    while (start < shorter && equal(a[start], b[start])) start++;
    while (end < shorter - start && equal(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
    const middle = Math.min(a.length, b.length) - start - end;
    for (let index = start; index < start + middle; index++) differences(a[index], b[index], path + "/" + index, found);
    for (let index = start + middle; index < a.length - end; index++) {
      found.push({ path: path + "/" + index, old: a[index], new: undefined });
    }
    for (let index = start + middle; index < b.length - end; index++) {
      found.push({ path: path + "/" + index, old: undefined, new: b[index] });
    }
  } else if (!equal(a, b)) found.push({ path, old: a, new: b });
  return found;
}
