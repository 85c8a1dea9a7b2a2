// The source of a page that `report` has written: it answers the requests of the page from the data in the file.
//
// The first line of the data is the answer to `log`, the second one is the first state. Each further line has an action, its changes,
// and at some revisions the state after it, separated by tabs.
//
// What the source answers besides the state and the changes: nothing. The messages call the revisions a page.
const offers = new Set(), whole = "page";
const lines = byId("data").textContent.split("\n");
const report = JSON.parse(lines[0]);
const partsAt = (revision) => lines[revision - report.first + 1].split("\t");

// The results of a function, by its argument.
function remembering(make) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key);
  };
}

// An action as the list shows it. `words` is the text that a search reads.
const actionAt = remembering((seq) => {
  work.linesRead++;
  const action = parse(partsAt(seq)[0]), [type, data, meta] = ["type", "data", "meta"].map((name) => action.get(name));
  const actor = meta instanceof Map ? meta.get("actor") : null;
  const row = {
    seq, time: action.get("time"), type, actor: typeof actor === "string" ? actor : undefined,
    said: action.get("said"), failed: action.get("failed"),
  };
  return { row, words: [type, row.actor, json(data), meta === undefined ? "" : json(meta)].join("\n").toLowerCase() };
});

// The changes of an action, each of a kind: "+" adds, "-" removes, "=" replaces, as in RFC 6902.
const editsOf = remembering((revision) => revision === report.first ? []
  : parse(partsAt(revision)[1]).map(([kind, path, value]) => ({ kind, path, tokens: tokensOf(path), value })));

// Applies a change. Modifies only the objects in `own`, and copies others, which are shared with earlier states.
function edited(node, edit, depth, own) {
  const { kind, tokens, value } = edit, isMap = node instanceof Map;
  if (depth === tokens.length) return value;
  let copy = node;
  if (!own.has(node)) own.add(copy = isMap ? new Map(node) : node.slice());
  const isLast = depth === tokens.length - 1, name = isMap ? tokens[depth] : Number(tokens[depth]);
  if (isLast && kind === "-") isMap ? copy.delete(name) : copy.splice(name, 1);
  else if (isMap) copy.set(name, edited(copy.get(name), edit, depth + 1, own));
  else if (isLast && kind === "+") copy.splice(name, 0, value);
  else copy[name] = edited(copy[name], edit, depth + 1, own);
  return copy;
}

// The states that are kept: the given ones, which are read when they are needed, one in each stride, and the latest one.
const stride = 256, given = new Set([report.first, ...report.keyframes]);
const states = new Map([...given].map((revision) => [revision]));
states.set(report.first, parse(lines[1]));
let latest = report.first;
function stateAt(revision) {
  let place = revision, own = new Set();
  while (!states.has(place)) place--;
  let state = states.get(place);
  if (state === undefined) states.set(place, state = parse(partsAt(place)[2]));
  if (place === revision) return state;
  while (place < revision) {
    for (const edit of editsOf(++place)) {
      state = edited(state, edit, 0, own);
      work.changesApplied++;
    }
    if (place % stride !== 0 || place === revision) continue;
    states.set(place, state);
    own = new Set();
  }
  if (latest % stride !== 0 && !given.has(latest)) states.delete(latest);
  states.set(latest = revision, state);
  return state;
}

// The value at a path; `undefined` if there is none.
const isIndex = (text) => /^(0|[1-9][0-9]*)$/.test(text);
function lookUp(value, tokens) {
  for (const name of tokens) {
    if (value instanceof Map) value = value.get(name);
    else value = Array.isArray(value) && isIndex(name) ? value[Number(name)] : undefined;
  }
  return value;
}

function equal(a, b) {
  if (a === b) return true;
  if (a instanceof Num) return b instanceof Num && a.text === b.text;
  if (a instanceof Map) {
    return b instanceof Map && a.size === b.size
      && [...a].every(([name, member]) => b.has(name) && equal(member, b.get(name)));
  }
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((element, index) => equal(element, b[index]));
}

// Whether a change can affect the value at a path: it is above or below it, or shifts elements of an array above it.
function concerns({ kind, tokens: path }, tokens) {
  let depth = 0;
  while (depth < path.length && depth < tokens.length && path[depth] === tokens[depth]) depth++;
  if (depth === path.length || depth === tokens.length) return true;
  return depth === path.length - 1 && kind !== "=" && isIndex(path[depth]) && isIndex(tokens[depth])
    && Number(path[depth]) <= Number(tokens[depth]);
}

// The change of a value by an action; null if it did not change.
function changeOf(tokens, revision) {
  if (!editsOf(revision).some((edit) => concerns(edit, tokens))) return null;
  const [before, after] = [revision - 1, revision].map((place) => lookUp(stateAt(place), tokens));
  return equal(before, after) ? null : { ...actionAt(revision).row, ...valuesIn(before, after) };
}
const valuesIn = (before, after) => ({ old: before === undefined ? undefined : line(before), new: after === undefined ? undefined : line(after) });

// The differences between two states. Parts that they share are the same object, and are skipped.
function compared(a, b, path = "", found = []) {
  const add = (name, old, after) => found.push({ path: path + name, old, new: after });
  if (a === b) return found;
  if (a instanceof Map && b instanceof Map) {
    for (const name of [...new Set([...a.keys(), ...b.keys()])].sort(compareNames)) {
      const place = "/" + token(name);
      if (a.has(name) && b.has(name)) compared(a.get(name), b.get(name), path + place, found);
      else add(place, a.get(name), b.get(name));
    }
  } else if (Array.isArray(a) && Array.isArray(b)) {
    let start = 0, end = 0;
    const shorter = Math.min(a.length, b.length);
    while (start < shorter && equal(a[start], b[start])) start++;
    while (end < shorter - start && equal(a[a.length - 1 - end], b[b.length - 1 - end])) end++;
    for (let index = start; index < Math.max(a.length, b.length) - end; index++) {
      if (index < shorter - end) compared(a[index], b[index], path + "/" + index, found);
      else add("/" + index, index < a.length - end ? a[index] : undefined, index < b.length - end ? b[index] : undefined);
    }
  } else if (!equal(a, b)) add("", a, b);
  return found;
}

// The changes of an action as the engine recorded them, or else the differences between two states.
let changed = {};
function changesOf(at, base = Math.max(report.first, at - 1)) {
  if (changed.at === at && changed.base === base) return changed;
  let state = stateAt(base);
  // How far the elements of an array have moved: the path of a removed one is that in the old state.
  const shifts = new Map(), own = new Set();
  const list = base !== at - 1 ? compared(state, stateAt(at)) : editsOf(at).map((edit) => {
    const { kind, tokens, value } = edit, old = kind === "+" ? undefined : lookUp(state, tokens), holder = parentOf(edit.path);
    const shift = shifts.get(holder) ?? 0, isRemoval = kind === "-", isElement = Array.isArray(lookUp(state, tokens.slice(0, -1)));
    shifts.set(holder, shift + { "+": 1, "-": -1, "=": 0 }[kind]);
    state = edited(state, edit, 0, own);
    return { path: isRemoval && isElement ? holder + "/" + (tokens.at(-1) - shift) : edit.path, old, new: isRemoval ? undefined : value };
  });
  for (const change of list) change.change = change.old === undefined ? "added" : change.new === undefined ? "removed" : "changed";
  const inside = new Set();
  for (const { path } of list) for (let holder = path; holder !== ""; ) inside.add(holder = parentOf(holder));
  const kinds = new Map(list.filter(({ change }) => change !== "removed").map(({ path, change }) => [path, change]));
  return changed = { at, base, list, kinds, inside };
}

// The names of the rows of a container.
const namesIn = (value) => value instanceof Map ? sortedNames(value) : [...value.keys()].map(String);

const kindOf = (value) => value === null ? "null" : value instanceof Num ? "number" : value instanceof Map ? "object"
  : Array.isArray(value) ? "array" : { string: "string", boolean: "bool" }[typeof value];
const describe = (value) => ({ kind: kindOf(value), ...(isContainer(value) ? { count: sizeOf(value) } : { text: line(value) }) });

// The first scalars of a small container, as the service gives them.
function preview(value, own) {
  if (!isContainer(value) || sizeOf(value) > 12) return undefined;
  const parts = namesIn(value).map((name) => value instanceof Map ? value.get(name) : value[Number(name)])
    .filter((part) => part !== undefined && !isContainer(part));
  return parts.map((part) => typeof part === "string" ? part : line(part)).filter((text) => text !== own).join(", ") || undefined;
}

function rowOf(holder, name, path, { kinds, inside }) {
  const value = holder instanceof Map ? holder.get(name) : holder[Number(name)];
  return { name, ...describe(value), preview: preview(value, name), change: kinds.get(path), inside: inside.has(path) || undefined };
}

// Some rows of a container; null if there is nothing at the path. With `only`, those that changed or contain a change.
function pageOf({ at, base, path = "", offset = 0, count = chunkLength, only }) {
  const value = lookUp(stateAt(at), tokensOf(path)), changes = changesOf(at, base);
  if (value === undefined) return null;
  const page = { revision: at, base: changes.base, path, offset: Number(offset), rows: [], ...describe(value) };
  if (!isContainer(value)) return { ...page, count: 0 };
  let names = only ? [] : namesIn(value);
  if (only) {
    const depth = tokensOf(path).length, inner = changes.list.filter((change) => change.path.startsWith(path + "/"));
    const all = inner.map((change) => parentOf(change.path) === path && change.change === "removed" ? change : tokensOf(change.path)[depth]);
    // An edit inside a value that a later edit of the same action removed has no row.
    names = [...new Set(all)].filter((name) => name.change || (value instanceof Map ? value.has(name) : Number(name) < value.length));
    page.count = names.length;
  }
  page.rows = names.slice(page.offset, page.offset + Number(count)).map((name) => name.change
    ? { name: tokensOf(name.path).at(-1), ...describe(name.old), change: "removed" } : rowOf(value, name, path + "/" + token(name), changes));
  return { ...page, size: page.count, count: names.length };
}

const missing = (path, at) => new Refusal(404, { code: "notFound", message: "there is nothing at '" + path + "' at revision " + at });

// What the page shows of a revision: the first changes, and the open containers, each after the one that holds it.
function place({ at, base, path = "", open = [], pointer, reveals, only }) {
  const changes = changesOf(at, base), opened = new Set(open), pages = [], waiting = [path];
  if (reveals) {
    pointer ??= (changes.list.find(({ change }) => change !== "removed") ?? changes.list[0])?.path;
    for (let holder of [...changes.list.slice(0, 12).map((change) => change.path), pointer ?? ""]) {
      while (holder !== "") opened.add(holder = parentOf(holder));
    }
  }
  for (let count = 0; waiting.length > 0 && count < 2000; ) {
    const holder = waiting.pop(), first = pageOf({ at, base, path: holder, only });
    if (!first || first.text !== undefined && pages.length > 0) continue;
    pages.push(first);
    count += first.rows.length;
    const members = [...new Set([...opened, pointer ?? ""])].filter((child) => child !== "" && parentOf(child) === holder);
    waiting.push(...members.filter((child) => opened.has(child)));
    if (only || first.count <= first.rows.length) continue;
    const names = namesIn(lookUp(stateAt(at), tokensOf(holder)));
    for (const child of members) {
      const index = names.indexOf(tokensOf(child).at(-1));
      if (index >= chunkLength) pages.push(pageOf({ at, base, path: holder, offset: index - chunkLength / 2 }));
    }
  }
  if (pages.length === 0) throw missing(path, at);
  return {
    revision: at, pages, action: at > report.first ? partsAt(at)[0] : undefined,
    changes: { total: changes.list.length, changes: changes.list.slice(0, 200).map((change) => ({ ...change, ...valuesIn(change.old, change.new) })) },
  };
}

// The time and the type of each action, which are read without the rest of it; the types, the most frequent first.
const heads = remembering(() => {
  const counts = new Map(), all = lines.slice(2).map((text) => {
    const [, time, quoted] = /^\{"time":"(.*?)","type":("(?:[^"\\]|\\.)*")/.exec(text), type = JSON.parse(quoted);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return { time, type };
  });
  let latest = -Infinity;
  // A clock that was set back makes no loop.
  for (const head of all) head.place = latest = Math.max(latest, microseconds(head.time));
  return { all, types: [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || compareNames(a, b)) };
});

// The number of actions of each type in equal parts of a range, by time or by revision.
function density({ axis, from, to = report.last, buckets }) {
  const { all, types } = heads(), shown = types.slice(0, 8), columns = new Map(shown.map((type, index) => [type, index]));
  [from, to] = [Math.max(report.first + 1, from), Math.min(to, report.last)];
  const answer = { axis, from, to, types: [...shown, "other"], first: [], counts: [] };
  if (from > to) return answer;
  const head = (revision) => all[revision - report.first - 1], place = (revision) => axis === "time" ? head(revision).place : revision;
  const start = place(from), width = Math.floor((place(to) - start) / buckets) + 1, used = Math.floor((place(to) - start) / width) + 1;
  const first = new Array(used).fill(0), timeOf = (revision) => {
    const { place: time } = head(revision), rest = (time % 1e6 + 1e6) % 1e6;
    return new Date((time - rest) / 1000).toISOString().slice(0, 20) + String(rest).padStart(6, "0") + "Z";
  };
  const counts = first.map(() => new Array(shown.length + 1).fill(0));
  for (let revision = from; revision <= to; revision++) {
    const bucket = Math.floor((place(revision) - start) / width);
    first[bucket] ||= revision;
    counts[bucket][columns.get(head(revision).type) ?? shown.length]++;
  }
  // A part without actions leads to the next one.
  for (let bucket = used - 1, next = to; bucket >= 0; bucket--) next = first[bucket] ||= next;
  return { ...answer, first, counts, start: timeOf(from), end: timeOf(to) };
}

// The questions. The page has no model, which conditions need.
const revisionsIn = (from, to) => Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
const limits = ({ from, to }) => [...from > report.first ? ["--from", from] : [], ...to < report.last ? ["--to", to] : []];
const jobs = {
  filter({ text, without, from = report.first + 1, to = report.last }) {
    if (isCondition(text)) {
      throw new Refusal(400, {
        code: "condition", message: "this page cannot evaluate conditions: 'list --where CONDITION' and the page of inspect do",
      });
    }
    const words = text.toLowerCase().split(/\s+/), isPath = text.startsWith("/"), tokens = tokensOf(isPath ? text : "");
    const found = revisionsIn(from, to).filter((revision) =>
      isPath ? changeOf(tokens, revision) : words.every((word) => actionAt(revision).words.includes(word)));
    const results = without.length ? found.filter((revision) => !without.includes(actionAt(revision).row.type)) : found;
    return { results, answer: { count: results.length, isCut: false } };
  },
  blame({ path, at }) {
    const tokens = tokensOf(path);
    let change = null;
    for (let place = at; place > report.first && !change; place--) change = changeOf(tokens, place);
    return { answer: { path, revision: at, change }, command: commandOf("blame", report.path, path, "--at", at) };
  },
  history({ path, from = report.first, to = report.last }) {
    const tokens = tokensOf(path), results = revisionsIn(Math.max(from, report.first + 1), to).map((revision) => changeOf(tokens, revision)).filter(Boolean);
    const isNumeric = results.length > 0 && results.every((change) => [change.old, change.new].every((text) => text === undefined || /^[-\d]/.test(text)));
    return { results, answer: { count: results.length, isNumeric, isCut: false }, command: commandOf("history", report.path, path, ...limits({ from, to })) };
  },
};

const answers = {
  log: () => report, density, place,
  actions: ({ from, count, revisions }) => ({
    actions: (revisions ?? revisionsIn(from, Math.min(report.last, from + count - 1))).map((revision) => actionAt(revision).row),
  }),
  state: pageOf,
  value({ at, path }) {
    const value = lookUp(stateAt(at), tokensOf(path));
    if (value === undefined) throw missing(path, at);
    return value;
  },
};

async function send(method, path, parameters, body) {
  const answer = answers[path]({ ...parameters, ...body });
  return path === "value" ? json(answer) : JSON.stringify(answer);
}
const run = async (body) => ({ results: [], hints: [], ...jobs[body.kind](body) });
const forget = () => {};
