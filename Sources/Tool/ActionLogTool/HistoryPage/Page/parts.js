// What the pages share besides values and lists.
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const plural = (count, noun) => number(count) + " " + noun + (count === 1 ? "" : "s");
const timeOf = (time) => time.slice(0, 10) + " " + time.slice(11, 23);
const say = (text) => { byId("live").textContent = text; };
const nothing = "nothing";

// The index of the last part of a type: after the last separator outside of brackets, as in the terminal.
function leafStart(type) {
  let depth = 0, start = 0;
  for (let index = 0; index < type.length - 1; index++) {
    if ("<([".includes(type[index])) depth++;
    else if (">)]".includes(type[index])) depth = Math.max(0, depth - 1);
    else if (depth === 0 && "./:".includes(type[index])) start = index + 1;
  }
  return start;
}

// The last part of a type comes first, because it says what happened; the rest says where.
function typeOf(action) {
  const type = element("span", "type"), text = escaped(action.type), start = leafStart(text);
  const rest = text.slice(0, start).replace(/[./:]+$/, "");
  type.append(element("strong", "", text.slice(start)));
  if (rest) type.append(" ", element("span", "rest", rest));
  type.title = text;
  return type;
}

// The microseconds of a time.
const microseconds = (time) => Date.parse(time.slice(0, 19) + "Z") * 1000 + Number((time.slice(20, -1) + "000000").slice(0, 6));

// A duration of some microseconds in at most two units.
function duration(size) {
  const seconds = size / 1e6;
  if (size < 1000) return size + " µs";
  if (seconds < 1) return Math.floor(size / 1000) + " ms";
  if (seconds < 10) return seconds.toFixed(2) + " s";
  const whole = Math.floor(seconds), parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const largest = parts.findIndex(([unit]) => whole >= unit);
  return parts.slice(largest, largest + 2)
    .map(([unit, name], index) => [Math.floor(index ? whole % parts[largest][0] / unit : whole / unit), name])
    .filter(([count], index) => count > 0 || index === 0).map((part) => part.join(" ")).join(" ");
}

// The action that set a value, the old and the new value, and how long the new one had held at the time `until`.
function showSetter(host, { seq, type, time, actor, old, new: after }, until) {
  const values = element("p", "values");
  values.append(element("del", "", old ?? nothing), element("ins", "", after ?? nothing));
  const held = until ? microseconds(until) - microseconds(time) : 0, by = element("p", "");
  by.append(element("strong", "", (after === undefined ? "removed by " : "set by ") + seq));
  if (held > 0) by.append(", for " + duration(held));
  by.append(" ", element("span", "", escaped(type)), element("span", "remark", " " + timeOf(time) + (actor ? " by " + escaped(actor) : "")));
  const buttons = element("p", "buttons");
  for (const [name, label] of [["go", "Go to " + seq], ["earlier", "The previous change"]]) {
    const button = element("button", "", label);
    button.type = "button";
    button.dataset.blame = name;
    buttons.append(button);
  }
  host.append(values, by, buttons);
}

function fact(host, name, text) {
  host.append(element("dt", "", name), element("dd", "", text));
}

// Whether a text is a condition, by the rules of the terminal: it contains a comparison, or it begins like a condition and
// contains an operator.
function isCondition(text) {
  if (/==|!=|[<>]/.test(text)) return true;
  const begins = (word) => /^(\/|'|\(|count\(|data\/|meta\/)|^(not|type|seq|time|data|meta|true|false)$/.test(word ?? "");
  const words = text.split(/\s+/);
  if (!begins(words[0])) return false;
  if (words[0] === "not" && begins(words[1])) return true;
  // A single `=` is a mistake that the answer explains. A path can contain one, too.
  if (/\s=|=\s|=["'/\d-]|=(true|false|null)\b/.test(text)) return true;
  return words.some((word, index) => index > 0 && (/^(like|contains|exists|changed)\)*$/.test(word)
    || /^(and|or)$/.test(word) && begins(words[index + 1])));
}

// Selects the pane that is visible on a narrow screen.
function pane(name) {
  document.body.dataset.pane = name;
  for (const tab of document.querySelectorAll("[data-tab]")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
  }
}

const parentOf = (pointer) => pointer.slice(0, pointer.lastIndexOf("/"));

// What each key does, and the rows of the dialog that lists the keys.
const plainKeys = new Map(), keyRows = [];

// `names` are separated by spaces. In `text`, a key or a command is in backticks. `actions` has an action for each event.
function addKeys(names, text, actions = {}) {
  keyRows.push([names.split(" "), text]);
  for (const [name, action] of Object.entries(actions)) plainKeys.set(name, action);
}

function showKeys() {
  byId("help").showModal();
  // Else the button at the end has the focus, and the beginning is out of view.
  byId("help-title").focus();
}

// Adds the keys that the pages share, and listens to them and to the controls for travel in time. `page` has the functions that
// differ: where the page is and how it goes elsewhere, its list, its trees of values, and its texts.
function listen(page) {
  const { go, target, first, last, list, trees } = page;
  const step = (count) => () => go(target() + count);
  function goToMark(direction) {
    const places = page.marks().sort((a, b) => a - b);
    const found = direction > 0 ? places.find((place) => place > target()) : places.findLast((place) => place < target());
    if (found !== undefined) go(found);
  }
  const focus = (id) => { byId(id).focus(); byId(id).select(); };
  keyRows.unshift(
    [["←", "→"], "one action back, forward; in the state: collapse, expand (`p` `n` step everywhere)"],
    [["↑", "↓"], "the previous, the next action or value"], [["Home", "End"], "the first, the last"], [["g"], "go to a revision"],
    [["/"], page.texts.search], [["b", "j"], "the action that last changed the selected value; go there"], [["h"], page.texts.history],
    [["u", "U"], page.texts.until], [["c"], "compare with this state, until `c` is pressed again"],
    [["[", "]"], "the previous, the next mark"]);
  keyRows.push([["Tab"], "the next part of the page"], [["Esc"], page.texts.escape]);
  for (const [name, action] of [
    ["ArrowLeft", step(-1)], ["ArrowRight", step(1)], ["p", step(-1)], ["n", step(1)],
    ["Home", () => go(first())], ["End", () => go(last())], ["g", () => focus("number")],
    ["/", () => { pane("actions"); focus("filter"); }], ["b", () => { pane("details"); page.blame(); }], ["h", page.history],
    ["u", () => page.goUntil(true)], ["U", () => page.goUntil(false)], ["c", page.compare],
    ["[", () => goToMark(-1)], ["]", () => goToMark(1)], ["j", () => page.followBlame(false)], ["?", showKeys],
  ]) plainKeys.set(name, action);
  const rows = byId("key-rows");
  for (const [names, text] of keyRows) {
    const name = element("dt"), meaning = element("dd");
    name.append(...names.flatMap((key, index) => index ? [" ", element("kbd", "", key)] : [element("kbd", "", key)]));
    meaning.append(...text.split("`").map((part, index) => index % 2 ? element(/^(.|Enter|Esc)$/.test(part) ? "kbd" : "code", "", part) : part));
    rows.append(name, meaning);
  }

  function listKey(event) {
    const index = list.target(event.key);
    if (index === null || list.count === 0) return false;
    const revision = page.revisionOf(index);
    if (revision !== undefined) go(revision);
    return true;
  }
  // A tree has its rows, `describe(index)`, `choose(index)` and `toggle(index)`.
  function treeKey(event, tree) {
    const { rows } = tree, index = rows.target(event.key);
    const { pointer, hasMembers, isOpened } = tree.describe(rows.selected);
    if (index !== null) tree.choose(index);
    else if (event.key === "Enter" || event.key === " ") tree.toggle(rows.selected);
    else if (event.key === "ArrowRight") {
      if (hasMembers && !isOpened) tree.toggle(rows.selected); else if (hasMembers) tree.choose(rows.selected + 1);
    } else if (event.key === "ArrowLeft") {
      if (hasMembers && isOpened) tree.toggle(rows.selected);
      else if (pointer !== "") {
        page.select(parentOf(pointer));
        rows.see(rows.selected);
      }
    } else return false;
    return true;
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || !page.isReady()) return;
    const host = event.target;
    if (host.matches("input:not([type=range]), select")) {
      if (event.key === "Escape" || event.key === "Enter" && host.id === "number") { host.blur(); list.host.focus(); event.preventDefault(); }
      return;
    }
    if (host.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (host.matches("button, summary") && (event.key === "Enter" || event.key === " ")) return;
    const tree = trees.find((tree) => tree.rows.host === host);
    const isDone = tree ? treeKey(event, tree) : /^(ArrowUp|ArrowDown|Page)/.test(event.key) || host === list.host ? listKey(event) : false;
    if (!isDone) {
      const action = plainKeys.get(event.key);
      if (!action) return;
      action();
    }
    event.preventDefault();
  });

  list.host.addEventListener("click", (event) => {
    const row = event.target.closest(".row"), revision = row ? page.revisionOf(Number(row.dataset.index)) : undefined;
    if (revision !== undefined) go(revision);
  });
  for (const tree of trees) {
    tree.rows.host.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) tree.click(Number(row.dataset.index), event.target.classList.contains("twisty"));
    });
  }
  document.addEventListener("click", (event) => {
    const { pointer, blame: wish, tab, revision } = event.target.dataset ?? {};
    if (pointer !== undefined) { page.select(pointer, true); pane("state"); }
    if (wish) page.followBlame(wish === "earlier");
    if (tab) pane(tab);
    if (revision !== undefined) go(Number(revision));
  });
  for (const [id, action] of [
    ["start", plainKeys.get("Home")], ["previous", step(-1)], ["next", step(1)], ["finish", plainKeys.get("End")],
    ["compare", page.compare], ["ask", () => page.blame()], ["history", page.history], ["keys", showKeys],
  ]) byId(id).addEventListener("click", action);
  byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("number").addEventListener("change", (event) => {
    const typed = Number(event.target.value);
    if (Number.isInteger(typed) && event.target.value !== "" && typed >= first() && typed <= last()) go(typed);
    else { say(page.texts.range + " the revisions " + first() + " to " + last()); event.target.value = target(); }
  });
  let waiting;
  byId("filter").addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (!page.typed?.(event.target.value)) waiting = setTimeout(page.filter, page.typingPause, event.target.value);
  });
  byId("filter").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    clearTimeout(waiting);
    page.filter(event.target.value);
    list.host.focus();
    page.filtered?.();
  });
}
