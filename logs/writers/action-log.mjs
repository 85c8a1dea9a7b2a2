// Records the actions of a store: a Redux middleware, and any store with getState and subscribe (Zustand, or Pinia by an adapter).
// No dependencies; copy the file. `write` takes a line for the model `patched` of `action-log record`.

/** Whether JSON has the value: `undefined`, functions and symbols are left out of objects, and are `null` in arrays. */
const isStored = (value) => !["undefined", "function", "symbol"].includes(typeof value);
const isNode = (value) => typeof value === "object" && value !== null && typeof value.toJSON !== "function";
const element = (value) => (isStored(value) ? value : null);

/** The operations (RFC 6902) from one state to the next. Parts with the same reference are equal: reducers do not mutate. */
export function difference(from, to, path = "", operations = []) {
  if (Object.is(from, to)) return operations;
  const at = (key) => `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (!isNode(from) || !isNode(to) || Array.isArray(from) !== Array.isArray(to)) {
    operations.push({ op: "replace", path, value: element(to) });
  } else if (Array.isArray(to)) {
    let [start, end, shorter] = [0, 0, Math.min(from.length, to.length)];
    while (start < shorter && Object.is(from[start], to[start])) start++;
    while (end < shorter - start && Object.is(from.at(-1 - end), to.at(-1 - end))) end++;
    const both = shorter - end;
    for (let i = start; i < both; i++) difference(element(from[i]), element(to[i]), at(i), operations);
    for (let i = both; i < from.length - end; i++) operations.push({ op: "remove", path: at(both) });
    for (let i = both; i < to.length - end; i++) operations.push({ op: "add", path: at(i), value: element(to[i]) });
  } else {
    const has = (object, key) => Object.hasOwn(object, key) && isStored(object[key]);
    for (const key of Object.keys(from)) if (has(from, key) && !has(to, key)) operations.push({ op: "remove", path: at(key) });
    for (const key of Object.keys(to).filter((key) => has(to, key))) {
      if (has(from, key)) difference(from[key], to[key], at(key), operations);
      else operations.push({ op: "add", path: at(key), value: to[key] });
    }
  }
  return operations;
}

/** Writes the state of a store, and then each action with the patch to its state, or the state if `write` said that lines before are lost. */
function recording(store, write, meta) {
  let before = store.getState();
  let written = write(JSON.stringify({ type: "@init", state: before, meta }));
  return (type, data) => {
    const patch = difference(before, (before = store.getState()));
    const effect = written === "behind" ? { state: before } : patch.length && { patch };
    written = write(JSON.stringify({ type, data, ...effect, meta }));
  };
}

/** A Redux middleware: `applyMiddleware(…, recorder(write))`, the last one, which sees only plain actions. */
export const recorder = (write, meta) => (store) => {
  const record = recording(store, write, meta);
  return (next) => (action) => {
    const result = next(action);
    const { type, payload, meta: _, ...rest } = action;
    record(String(type).replace(/^@+/, "") || "unnamed", payload === undefined ? rest : isNode(payload) && !Array.isArray(payload) ? payload : { payload });
    return result;
  };
};

/** Records each change of a store with `getState` and `subscribe`. Returns the function that ends it. */
export function follow(store, write, nameOf = () => "changed", meta = undefined) {
  const record = recording(store, write, meta);
  return store.subscribe(() => record(nameOf(store.getState()), {}));
}
