const byId = (id) => document.getElementById(id);

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Browsers limit the height of an element, Chromium to 33 million pixels. A longer list has this height, and scrolls in proportion.
const greatestHeight = 8e6;

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
    // The first visible row of a list that scrolls in proportion.
    this.top = 0;
    // The last height of the visible part.
    this.room = 0;
    host.addEventListener("scroll", () => this.scroll(), { passive: true });
    host.addEventListener("wheel", (event) => {
      if (!this.isScaled || event.ctrlKey || event.deltaY === 0) return;
      event.preventDefault();
      const lines = event.deltaMode === 0 ? event.deltaY / this.height : event.deltaMode === 1 ? event.deltaY : event.deltaY * this.page;
      this.place(this.top + lines);
    }, { passive: false });
    new ResizeObserver(() => this.resize()).observe(host);
  }

  // Keeps the selected row in view when what is above the list grows. A part of a row is enough: heights have fractions.
  resize() {
    const { room, selected } = this;
    if (this.isScaled) this.top = Math.min(this.top, this.lastTop);
    const isSeen = selected > this.firstRow - 1 && selected < this.firstRow + room / this.height;
    this.room = this.host.clientHeight;
    if (selected >= 0 && (room === 0 || isSeen)) this.see(selected);
    this.draw();
  }

  get height() {
    return this.rowHeight ??= byId("probe").getBoundingClientRect().height || 24;
  }

  get page() { return Math.max(1, Math.floor(this.host.clientHeight / this.height) - 1); }

  // Shows a number of rows, and scrolls the selected one into view.
  show(count, selected, isSeen = true) {
    this.count = count;
    this.selected = selected;
    this.space.style.height = Math.min(greatestHeight, count * this.height) + "px";
    if (this.isScaled) this.top = Math.min(this.top, this.lastTop);
    if (isSeen && selected >= 0) this.see(selected);
    this.draw();
  }

  get isScaled() { return this.count * this.height > greatestHeight; }

  // The first row when the list is scrolled to its end.
  get lastTop() { return Math.max(0, this.count - this.host.clientHeight / this.height); }

  get scrollRange() { return Math.max(1, greatestHeight - this.host.clientHeight); }

  scroll() {
    // A scroll that this list has caused keeps the exact row.
    if (this.isScaled && Math.abs(this.host.scrollTop - this.top / this.lastTop * this.scrollRange) > 1) {
      this.top = this.host.scrollTop / this.scrollRange * this.lastTop;
    }
    this.draw();
  }

  // Scrolls a list that scrolls in proportion to a row.
  place(top) {
    this.top = Math.min(this.lastTop, Math.max(0, top));
    this.host.scrollTop = this.top / this.lastTop * this.scrollRange;
    this.draw();
  }

  // The first visible row, with a fraction.
  get firstRow() { return this.isScaled ? this.top : this.host.scrollTop / this.height; }

  see(index) {
    if (this.isScaled) {
      if (index < this.top) this.place(index - 1);
      else if (index > this.top + this.page) this.place(index - this.page);
      return;
    }
    const top = index * this.height, bottom = top + this.height;
    const room = this.host.clientHeight;
    if (top < this.host.scrollTop) this.host.scrollTop = Math.max(0, top - this.height);
    else if (bottom > this.host.scrollTop + room) this.host.scrollTop = bottom - room + this.height;
  }

  draw() {
    const from = Math.max(0, Math.floor(this.firstRow) - 4);
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
    row.style.top = (this.isScaled ? this.host.scrollTop + (index - this.top) * this.height : index * this.height) + "px";
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
