// What the parts of the page share besides values and lists.
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

const leafOf = (type) => type.slice(leafStart(type)), restOf = (type) => type.slice(0, leafStart(type)).replace(/[./:]+$/, "");

// The last part of a type comes first, because it says what happened; the rest says where, and can be left to the tooltip.
function typeOf(action, hasRest = true) {
  const text = escaped(action.type), rest = hasRest && restOf(text);
  const parts = rest ? [" ", element("span", "rest", rest)] : [];
  return Object.assign(element("span", "type", element("strong", "", leafOf(text)), ...parts), { title: text });
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
  const held = until ? microseconds(until) - microseconds(time) : 0;
  host.append(
    element("p", "values", element("del", "", old ?? nothing), element("ins", "", after ?? nothing)),
    element("p", "", element("strong", "", (after === undefined ? "removed by " : "set by ") + seq), held > 0 ? ", for " + duration(held) : "", " ",
      element("span", "", escaped(type)), element("span", "remark", " " + timeOf(time) + (actor ? " by " + escaped(actor) : ""))),
    element("p", "buttons", goButton(seq, "Go to " + seq), buttonOf("", "The previous change", { data: { blame: "earlier" } })));
}

const goButton = (revision, text = String(revision), className = "") => buttonOf(className, text, { data: { revision } });
const pathButton = (path) => buttonOf("path", path === "" ? "the whole state" : escaped(path), { data: { pointer: path } });

function fact(host, name, text) {
  host.append(element("dt", "", name), element("dd", "", text));
}

// Whether a text is a condition by the rules of the terminal: it contains a comparison, or begins like a condition and contains an
// operator.
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

// A text that is kept for this tab. A page in a sandbox keeps none.
const kept = {
  get(name) { try { return sessionStorage.getItem(name); } catch { return null; } },
  set(name, text) { try { sessionStorage.setItem(name, text); } catch { /* it is not kept */ } },
};
