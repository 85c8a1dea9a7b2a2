const byId = (id) => document.getElementById(id);

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// A button with properties, data attributes, and what a click does.
function buttonOf(className, text, { data, click, ...properties }) {
  const made = Object.assign(element("button", className, text), { type: "button", ...properties });
  Object.assign(made.dataset, data);
  if (click) made.addEventListener("click", click);
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
    this.space = Object.assign(element("div", "space"), { role: "presentation" });
    host.append(this.space);
    // The first visible row, with a fraction.
    this.top = 0;
    // The last height of the visible part.
    this.room = 0;
    // Where the host was scrolled to when the rows were made.
    this.drawnAt = 0;
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
    const { room, selected, top } = this, isSeen = room === 0 || selected > top - 1 && selected < top + room / this.height;
    this.room = this.host.clientHeight;
    this.move(top);
    if (selected >= 0 && isSeen) this.moveTo(selected);
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
    this.top = Math.min(this.top, this.lastTop);
    if (isSeen && selected >= 0) this.moveTo(selected);
    this.draw();
  }

  get isScaled() { return this.count * this.height > greatestHeight; }

  // The first row when the list is scrolled to its end.
  get lastTop() { return Math.max(0, this.count - this.host.clientHeight / this.height); }

  // The pixels of a row of the scroll bar.
  get scale() { return this.isScaled ? (greatestHeight - this.host.clientHeight) / this.lastTop : this.height; }

  scroll() {
    // The browser reports a scroll that this list has caused, too, and its rows are there.
    if (this.host.scrollTop === this.drawnAt) return;
    this.top = this.host.scrollTop / this.scale;
    this.draw();
  }

  // Scrolls to a row.
  place(top) {
    this.move(top);
    this.draw();
  }

  // Scrolls until a row is visible.
  see(index) {
    if (this.moveTo(index)) this.draw();
  }

  move(top) {
    this.top = Math.min(this.lastTop, Math.max(0, top));
    this.host.scrollTop = this.top * this.scale;
    // A row of a scaled list is less than a pixel of its scroll bar.
    if (!this.isScaled) this.top = this.host.scrollTop / this.scale;
  }

  // Whether a row was out of sight.
  moveTo(index) {
    const room = this.host.clientHeight / this.height;
    if (index < this.top) this.move(index - 1);
    else if (index + 1 > this.top + room) this.move(index + 2 - room);
    else return false;
    return true;
  }

  draw() {
    const from = Math.max(0, Math.floor(this.top) - 4);
    const to = Math.min(this.count, from + Math.ceil(this.host.clientHeight / this.height) + 9);
    const made = [];
    for (let index = from; index < to; index++) made.push(this.row(index));
    // The selected row always exists, for screen readers.
    if (this.selected >= 0 && this.selected < this.count && (this.selected < from || this.selected >= to)) {
      made.push(this.row(this.selected));
    }
    this.space.replaceChildren(...made);
    this.drawnAt = this.host.scrollTop;
    const active = this.selected >= 0 && this.selected < this.count ? this.host.id + "-" + this.selected : null;
    if (active) this.host.setAttribute("aria-activedescendant", active);
    else this.host.removeAttribute("aria-activedescendant");
  }

  row(index) {
    work.rowsMade++;
    const row = this.make(index);
    row.classList.add("row");
    row.dataset.index = index;
    row.style.top = this.host.scrollTop + (index - this.top) * this.height + "px";
    if (this.role === "option") Object.assign(row, { ariaPosInSet: index + 1, ariaSetSize: this.count });
    return Object.assign(row, { id: this.host.id + "-" + index, role: this.role, ariaSelected: index === this.selected });
  }

  // The row that a navigation key leads to; null for other keys.
  target(key) {
    const { selected, page, count } = this;
    const place = { ArrowUp: selected - 1, ArrowDown: selected + 1, PageUp: selected - page, PageDown: selected + page, Home: 0, End: count - 1 }[key];
    return place === undefined ? null : Math.max(0, Math.min(count - 1, place));
  }
}
