// A container of the shown state: the rows that are there, and the open containers inside it, by their indices.
class Container {
  constructor(pointer, page) {
    const isScalar = page.text !== undefined;
    this.value = isScalar ? { kind: page.kind, text: page.text } : { kind: page.kind, count: page.count };
    Object.assign(this, { pointer, kind: page.kind, count: page.count, rows: new Map(), indices: new Map(), inner: new Map(), asked: new Set() });
    this.take(page);
  }

  take(page) {
    page.rows.forEach((row, index) => {
      this.rows.set(page.offset + index, row);
      this.indices.set(row.name, page.offset + index);
    });
  }

  // The number of rows below this one.
  get size() {
    let size = this.count;
    for (const container of this.inner.values()) size += container.size;
    return size;
  }

  sorted() { return [...this.inner].sort(([a], [b]) => a - b); }
}

const isContainerRow = (row) => row.count !== undefined;
const isOpen = (pointer) => !view.shut.has(pointer) && (view.open.has(pointer) || view.shown.has(pointer));
const changedOnly = () => view.onlyChanged ? "changed" : undefined;
const place = () => ({ view: viewName, at: view.target, base: view.base });

// Reads a container of the state at the requested revision, and the open ones inside it.
async function read(pointer, parameters) {
  // The names of open containers and of the selected value have to be found, wherever they are.
  const wanted = new Set();
  for (const path of [...view.open, ...view.shown, view.pointer]) {
    if (path !== "" && parentOf(path) === pointer && (path === view.pointer || isOpen(path))) wanted.add(tokensOf(path).at(-1));
  }
  let page;
  const only = changedOnly();
  try {
    page = await get("state", { ...parameters, path: pointer, count: chunkLength, only });
  } catch (error) {
    // A container that was open is not in this state.
    if (error.code === "notFound" && pointer !== "") return null;
    throw error;
  }
  const container = new Container(pointer, page);
  if (!only) {
    for (const name of wanted) {
      if (container.indices.has(name) || page.count <= chunkLength) continue;
      container.take(await get("state", { ...parameters, path: pointer, count: chunkLength, around: name }));
    }
  }
  await Promise.all([...container.rows].map(async ([index, row]) => {
    const path = pointer + "/" + token(row.name);
    if (!isContainerRow(row) || row.change === "removed" || !isOpen(path)) return;
    const inner = await read(path, parameters);
    if (inner) container.inner.set(index, inner);
  }));
  return container;
}

// The row at an index of the tree: its container, its index there, and its depth. The first row is the state itself.
function rowAt(index) {
  if (index === 0) return { pointer: "", depth: 0, row: { ...view.root.value, name: null } };
  let container = view.root, rest = index - 1;
  for (let depth = 1; ; depth++) {
    let passed = 0, next = null;
    for (const [at, inner] of container.sorted()) {
      if (rest <= at + passed) break;
      if (rest <= at + passed + inner.size) {
        next = inner;
        rest -= at + passed + 1;
        break;
      }
      passed += inner.size;
    }
    if (next) { container = next; continue; }
    const at = rest - passed, row = container.rows.get(at);
    return { container, at, depth, row, pointer: row && container.pointer + "/" + token(row.name) };
  }
}

// The index of a path in the tree; -1 if it is not there.
function indexOfPointer(pointer) {
  if (!view.root) return -1;
  let container = view.root, index = 0;
  for (const name of tokensOf(pointer)) {
    const at = container?.indices.get(name);
    if (at === undefined) return -1;
    index += at + 1;
    for (const [other, inner] of container.inner) if (other < at) index += inner.size;
    container = container.inner.get(at);
  }
  return index;
}

const tree = new Rows(byId("state"), "treeitem", (index) => {
  const { pointer, depth, row: value, container, at } = rowAt(index);
  const row = element("div", "value");
  row.style.paddingInlineStart = `calc(${Math.min(depth, 24)} * 1.1em + .3em)`;
  row.setAttribute("aria-level", depth + 1);
  row.setAttribute("aria-posinset", (at ?? 0) + 1);
  row.setAttribute("aria-setsize", container?.count ?? 1);
  if (!value) {
    row.classList.add("pending");
    row.append(element("span", "twisty", ""), element("span", "remark", "…"));
    fetchRows(container, at);
    return row;
  }
  if (value.change) row.classList.add(value.change); else if (value.inside) row.classList.add("inside");
  const isOpened = pointer === "" ? isOpen("") : container.inner.has(at);
  const twisty = element("span", "twisty", value.count ? isOpened ? "▾" : "▸" : "");
  twisty.setAttribute("aria-hidden", "true");
  row.append(twisty, element("span", "name", value.name === null ? "state" : escaped(value.name)));
  if (isContainerRow(value)) {
    if (value.count) row.setAttribute("aria-expanded", String(isOpened));
    const isObject = value.kind === "object";
    row.append(element("span", "size", isObject ? "{" + (value.count ? number(value.count) : "") + "}"
      : "[" + (value.count ? number(value.count) : "") + "]"));
  } else row.append(element("span", "scalar " + ({ bool: "boolean", null: "object" }[value.kind] ?? value.kind), value.text));
  if (value.change) row.append(element("span", "badge", value.change));
  return row;
});

async function fetchRows(container, at) {
  const number = Math.floor(at / chunkLength), root = view.root;
  if (container.asked.has(number)) return;
  container.asked.add(number);
  try {
    const page = await get("state", { ...shownPlace(), path: container.pointer, offset: number * chunkLength, count: chunkLength, only: changedOnly() });
    if (view.root !== root) return;
    container.take(page);
    tree.draw();
  } catch (error) { if (view.root === root) fail(error); }
}

const shownPlace = () => ({ view: viewName, at: view.revision, base: view.base });

// Opens or closes a container in the shown state.
async function toggle(index) {
  const { pointer, row, container, at } = rowAt(index);
  if (!row?.count || row.change === "removed") return;
  if (pointer === "") return;
  if (container.inner.has(at)) {
    view.open.delete(pointer);
    view.shut.add(pointer);
    container.inner.delete(at);
    return showState(false);
  }
  view.open.add(pointer);
  view.shut.delete(pointer);
  const root = view.root;
  try {
    const inner = await read(pointer, shownPlace());
    if (view.root !== root || !inner) return;
    container.inner.set(at, inner);
    showState(false);
  } catch (error) { fail(error); }
}

function showState(isMoved) {
  const index = Math.max(0, indexOfPointer(view.pointer));
  tree.show(view.root.size + 1, index, false);
  if (isMoved) tree.see(index);
}
