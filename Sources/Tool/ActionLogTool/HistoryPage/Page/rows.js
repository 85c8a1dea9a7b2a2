const byId = (id) => document.getElementById(id);

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

class Rows {
  // make(index) makes a row's contents; the list gives it its place, its role and its name.
  constructor(host, role, make) {
    this.host = host;
    this.role = role;
    this.make = make;
    this.count = 0;
    this.selected = -1;
    this.space = element("div", "space");
    this.space.setAttribute("role", "presentation");
    host.append(this.space);
    host.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(host);
  }

  get height() {
    return this.rowHeight ??= byId("probe").getBoundingClientRect().height || 24;
  }

  get page() { return Math.max(1, Math.floor(this.host.clientHeight / this.height) - 1); }

  // Shows a number of rows, and scrolls the selected one into view.
  show(count, selected, isSeen = true) {
    this.count = count;
    this.selected = selected;
    this.space.style.height = count * this.height + "px";
    if (isSeen && selected >= 0) this.see(selected);
    this.draw();
  }

  see(index) {
    const top = index * this.height, bottom = top + this.height;
    const room = this.host.clientHeight;
    if (top < this.host.scrollTop) this.host.scrollTop = Math.max(0, top - this.height);
    else if (bottom > this.host.scrollTop + room) this.host.scrollTop = bottom - room + this.height;
  }

  draw() {
    const from = Math.max(0, Math.floor(this.host.scrollTop / this.height) - 4);
    const to = Math.min(this.count, from + Math.ceil(this.host.clientHeight / this.height) + 9);
    const made = [];
    for (let index = from; index < to; index++) made.push(this.row(index));
    // The selected row always exists, for screen readers.
    if (this.selected >= 0 && this.selected < this.count && (this.selected < from || this.selected >= to)) {
      made.push(this.row(this.selected));
    }
    this.space.replaceChildren(...made);
    const active = this.selected >= 0 && this.selected < this.count ? this.host.id + "-" + this.selected : null;
    if (active) this.host.setAttribute("aria-activedescendant", active);
    else this.host.removeAttribute("aria-activedescendant");
  }

  row(index) {
    work.rowsMade++;
    const row = this.make(index);
    row.id = this.host.id + "-" + index;
    row.classList.add("row");
    row.dataset.index = index;
    row.setAttribute("role", this.role);
    row.setAttribute("aria-selected", String(index === this.selected));
    if (this.role === "option") {
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-setsize", this.count);
    }
    row.style.top = index * this.height + "px";
    return row;
  }

  // The row that a navigation key leads to; null for other keys.
  target(key) {
    switch (key) {
      case "ArrowUp": return Math.max(0, this.selected - 1);
      case "ArrowDown": return Math.min(this.count - 1, this.selected + 1);
      case "PageUp": return Math.max(0, this.selected - this.page);
      case "PageDown": return Math.min(this.count - 1, this.selected + this.page);
      case "Home": return 0;
      case "End": return this.count - 1;
    }
    return null;
  }
}
