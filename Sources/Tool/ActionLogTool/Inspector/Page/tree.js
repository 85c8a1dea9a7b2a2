// A container of the shown state: the rows that are there, and the open containers inside it, by their indices.
class Container {
  constructor(pointer, page) {
    const isScalar = page.text !== undefined;
    this.value = isScalar ? { kind: page.kind, text: page.text } : { kind: page.kind, count: page.size ?? page.count };
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

// The container of the first page of an answer, with the open ones inside it. Further pages of one have more of its rows.
function containerOf(pages) {
  const found = new Map();
  for (const page of pages) {
    const known = found.get(page.path), container = known ?? new Container(page.path, page);
    if (known) { known.take(page); continue; }
    found.set(page.path, container);
    const holder = found.size > 1 ? found.get(parentOf(page.path)) : null, at = holder?.indices.get(tokensOf(page.path).at(-1));
    if (at !== undefined) holder.inner.set(at, container);
  }
  return found.get(pages[0].path);
}

const isContainerRow = (row) => row.count !== undefined;
const isOpen = (pointer) => !view.shut.has(pointer) && (view.open.has(pointer) || view.shown.has(pointer));
const changedOnly = () => view.onlyChanged ? "changed" : undefined;

// The state at a revision as a tree of rows. All trees share the selected path and which containers are open.
class StateTree {
  // `place` returns the parameters of the shown state. `words` has names of differences.
  constructor(id, place, words = {}) {
    this.place = place;
    this.words = words;
    this.root = null;
    this.rows = new Rows(byId(id), "treeitem", (index) => this.make(index));
  }

  // The row at an index: its container, its index there, and its depth. The first row is the state itself.
  rowAt(index) {
    if (index === 0) return { pointer: "", depth: 0, row: { ...this.root.value, name: null } };
    let container = this.root, rest = index - 1;
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

  // The index of a path; -1 if it is not there.
  indexOf(pointer) {
    if (!this.root) return -1;
    let container = this.root, index = 0;
    for (const name of tokensOf(pointer)) {
      const at = container?.indices.get(name);
      if (at === undefined) return -1;
      index += at + 1;
      for (const [other, inner] of container.inner) if (other < at) index += inner.size;
      container = container.inner.get(at);
    }
    return index;
  }

  make(index) {
    const { pointer, depth, row: value, container, at } = this.rowAt(index);
    const row = element("div", "value");
    row.style.paddingInlineStart = `calc(${Math.min(depth, 24)} * 1.1em + .3em)`;
    Object.assign(row, { ariaLevel: depth + 1, ariaPosInSet: (at ?? 0) + 1, ariaSetSize: container?.count ?? 1 });
    if (!value) {
      row.classList.add("pending");
      row.append(element("span", "twisty", ""), element("span", "remark", "…"));
      this.fetchRows(container, at);
      return row;
    }
    if (value.change) row.classList.add(value.change); else if (value.inside) row.classList.add("inside");
    const isOpened = pointer === "" ? isOpen("") : container.inner.has(at);
    row.append(Object.assign(element("span", "twisty", value.count ? isOpened ? "▾" : "▸" : ""), { ariaHidden: "true" }));
    row.append(element("span", "name", value.name === null ? "state" : escaped(value.name)));
    if (isContainerRow(value)) {
      if (value.count) row.ariaExpanded = isOpened;
      const [open, close] = value.kind === "object" ? "{}" : "[]";
      row.append(element("span", "size", open + (value.count ? number(value.count) : "") + close));
      // What is in an open container is in the rows below it.
      if (value.preview && !isOpened) row.append(element("span", "preview", escaped(value.preview)));
    } else row.append(element("span", "scalar " + ({ bool: "boolean", null: "object" }[value.kind] ?? value.kind), value.text));
    if (value.change) row.append(element("span", "badge", this.words[value.change] ?? value.change));
    return row;
  }

  async fetchRows(container, at) {
    const number = Math.floor(at / chunkLength), { root } = this;
    if (container.asked.has(number)) return;
    container.asked.add(number);
    try {
      const page = await get("state", {
        ...this.place(), path: container.pointer, offset: number * chunkLength, count: chunkLength, only: changedOnly(),
      });
      if (this.root !== root) return;
      // During a move the server may already have the next state, which replaces this one.
      if (page.isNear !== false) container.take(page);
      else if (!moving) reload();
      this.rows.draw();
    } catch (error) { if (this.root === root) fail(error); }
  }

  show(isMoved) {
    const index = Math.max(0, this.indexOf(view.pointer));
    this.rows.show(this.root.size + 1, index, isMoved);
  }

  // Opens or closes a container as the user wishes.
  async open(pointer) {
    // During a move, the open containers of its target were requested already, and a second fold of the view would end the first one.
    if (isOpen(pointer)) while (moving) await arrival;
    const index = this.indexOf(pointer);
    if (index < 0) return;
    const { row, container, at } = this.rowAt(index), { root } = this;
    if (!isOpen(pointer)) container.inner.delete(at);
    else if (row?.count && row.change !== "removed" && !container.inner.has(at)) {
      const { pages } = await near({ ...this.place(), path: pointer, ...openPaths(false) }, new AbortController().signal);
      if (this.root !== root) return;
      container.inner.set(at, containerOf(pages));
    }
    this.show(false);
  }

  // What the keys and the mouse need.
  describe(index) {
    const { pointer, row, container, at } = this.rowAt(index);
    return { pointer: pointer ?? "", hasMembers: Boolean(row?.count), isOpened: pointer === "" || Boolean(container?.inner.has(at)) };
  }

  choose(index) {
    const next = this.rowAt(index);
    if (next.row) {
      select(next.pointer);
      this.rows.see(index);
    } else if (next.container) this.fetchRows(next.container, next.at);
  }

  async toggle(index) {
    const { pointer, row, container, at } = this.rowAt(index);
    if (!row?.count || row.change === "removed" || pointer === "") return;
    if (isCutPath(pointer)) return say(cutText);
    const [from, to] = container.inner.has(at) ? [view.open, view.shut] : [view.shut, view.open];
    from.delete(pointer);
    to.add(pointer);
    try { await Promise.all(shownTrees().map((tree) => tree.open(pointer))); } catch (error) { fail(error); }
  }

  click(index, isTwisty) {
    const { pointer } = this.rowAt(index);
    if (pointer === undefined) return;
    const isSame = pointer === view.pointer && view.isChosen;
    select(pointer);
    if (isTwisty || isSame) this.toggle(index);
    if (!isTwisty) blameQuietly();
  }
}

const shownPlace = () => ({ view: viewName, at: view.revision, base: view.base ?? undefined });
const tree = new StateTree("state", shownPlace);
const branchTree = new StateTree("branch", () => ({ view: viewName, at: view.revision, branch: whatIf.branch }),
  // A branch is compared with the recording, and not with the state before.
  { added: "only here", removed: "only recorded", changed: "differs" });
const shownTrees = () => branchTree.root ? [tree, branchTree] : [tree];

function showState(isMoved) {
  for (const tree of shownTrees()) tree.show(isMoved);
}
