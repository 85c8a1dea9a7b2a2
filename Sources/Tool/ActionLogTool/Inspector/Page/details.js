function showDifferences() {
  byId("differences-title").textContent = view.base !== null ? "From revision " + view.base + " to " + view.revision
    : view.revision === log.first ? "What changed" : "What action " + view.revision + " changed";
  const items = view.changes.map(({ change, path, old, new: after }) => {
    const sign = Object.assign(element("span", "sign", { added: "+", removed: "−", changed: "~" }[change]), { role: "img", ariaLabel: change });
    const values = element("div", "values");
    if (old !== undefined) values.append(element("del", "", old));
    if (after !== undefined) values.append(element("ins", "", after));
    return element("li", change, sign, pathButton(path), values);
  });
  if (view.total > view.changes.length) {
    items.push(element("li", "remark", "… and " + plural(view.total - view.changes.length, "more difference")));
  }
  if (view.total === 0) {
    items.push(element("li", "remark", view.revision !== log.first || view.base !== null ? "Nothing." : log.first === 0 ? "The state before any action." : "The first state of this " + whole + "."));
  }
  byId("differences").replaceChildren(...items);
}

function showAction() {
  const { action } = view, host = byId("action");
  host.replaceChildren();
  for (const mark of marksAt(view.target)) {
    fact(host, "mark", escaped(mark.name + (mark.remark ? ": " + mark.remark : "")) + " ");
    if (!log.writes.includes("marks")) continue;
    host.lastChild.append(buttonOf("", "Remove", { click: () => changeMark("DELETE", "marks/" + encodeURIComponent(mark.name)) }));
  }
  byId("action-title").textContent = action ? escaped(action.get("type")) : view.target === 0 ? "The start" : "Revision " + log.first;
  if (!action) return;
  const meta = action.get("meta"), data = action.get("data");
  fact(host, "when", timeOf(action.get("time")) + " UTC");
  fact(host, "who", meta instanceof Map && typeof meta.get("actor") === "string" ? escaped(meta.get("actor")) : "not recorded");
  if (action.get("cut")) fact(host, "data", "too long for this page: action-log show " + log.path + " " + view.target);
  for (const [name, value] of [["", data], ["meta ", meta]]) {
    if (!(value instanceof Map)) continue;
    for (const [member, content] of value) {
      if (name !== "" && member === "actor") continue;
      fact(host, escaped(name + member), line(content, 2000));
    }
  }
  for (const form of action.get("readAs") ?? []) fact(host, "read as", escaped(form.get("type")) + " " + line(form.get("data"), 400));
  fact(host, "durable", action.get("durable") || view.target <= log.durable ? "yes" : "not yet");
  if (action.has("file")) fact(host, "place", escaped(action.get("file")) + ":" + action.get("line").text);
}

let shownAnswer = null;
function showValue() {
  byId("pointer").textContent = view.pointer === "" ? "the whole state" : escaped(view.pointer);
  const index = tree.indexOf(view.pointer), row = index >= 0 ? tree.rowAt(index).row : null;
  byId("value").textContent = !row && view.onlyChanged ? "not among the changes"
    : !row || row.change === "removed" ? "nothing at this revision"
    : isContainerRow(row) ? plural(row.count, row.kind === "object" ? "member" : "element") : row.text;
  const host = byId("blame"), answer = view.answer?.pointer === view.pointer ? view.answer : null;
  // The same answer stays, with the keyboard's focus in it.
  if (answer === shownAnswer) return drawPosition();
  shownAnswer = answer;
  host.replaceChildren();
  if (!answer) return;
  if (answer.text) host.append(element("p", "remark", answer.text));
  if (answer.change) showSetter(host, answer.change, answer.until);
  if (answer.changes) showHistory(host, answer);
  if (answer.command) host.append(commandLine(answer.command));
}

function showHistory(host, { changes, isNumeric, isCut }) {
  const values = new Set(changes.map((change) => change.new ?? nothing));
  if (changes.length > 1 && (isNumeric || values.size <= barLimit)) host.append(chart(changes, isNumeric));
  const items = Object.assign(element("ol"), { id: "changes-of-value", tabIndex: 0 });
  items.append(...changes.slice(-500).map(({ seq, type, time, old, new: after }) => element("li", "",
    Object.assign(goButton(seq, String(seq), "path"), { title: escaped(type) + ", " + timeOf(time) }),
    element("span", "values", " ", element("del", "", old ?? nothing), element("ins", "", after ?? nothing)))));
  const total = plural(changes.length, "change") + (isCut ? ", and there are more" : "")
    + (changes.length > 500 ? "; the last 500:" : "");
  host.append(element("p", "remark", total), items);
}

const commandLine = (text) => element("p", "command", "$ " + escaped(text) + " ", buttonOf("", "Copy", { click: () => copy(text, "the command") }));

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    say("copied " + name);
  } catch { say("the browser does not allow this page to copy"); }
}

// The most values that are drawn as colored bars.
const barLimit = 12;
const chartSize = { width: 600, height: 120 };
// The chart that is shown, and its selected change.
const shownChart = { changes: [], index: 0, svg: null };

function drawing(name, attributes, ...children) {
  const made = document.createElementNS(byId("drawing").namespaceURI, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

// The history of a value: a stepped line for numbers, otherwise a colored bar for each value. It is a slider over the changes,
// so that keys and screen readers reach each of them; the list that follows has the same changes as text.
function chart(changes, isNumeric) {
  const { width, height } = chartSize, isByTime = view.axis === "time";
  const placeOf = (change) => isByTime ? Date.parse(change.time) : change.seq;
  // The last value holds up to the end of the log.
  const logEnd = isByTime ? Date.parse(timeline.data?.end ?? "") || 0 : lastShown();
  const start = placeOf(changes[0]), end = Math.max(start + 1, placeOf(changes.at(-1)), logEnd);
  const x = (change) => Math.min(width, Math.max(0, (placeOf(change) - start) / (end - start) * width));
  const figure = element("figure", isNumeric ? "chart" : "chart bars"), caption = element("figcaption");
  const summary = isNumeric ? numbersOf(changes) : valuesOf(changes);
  const svg = drawing("svg", {
    id: "chart", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", tabindex: 0, role: "slider",
    "aria-label": "History of " + escaped(view.pointer) + ": " + summary, "aria-valuemin": 1, "aria-valuemax": changes.length,
  }, ...(isNumeric ? [lineOf(changes, x)] : barsOf(changes, x)),
  drawing("line", { id: "chart-now", y1: 0, y2: height }), drawing("line", { id: "chart-place", y1: 0, y2: height }));
  caption.append(element("span", "remark", summary + " "), element("output", "", ""));
  figure.append(svg, caption);
  if (!isNumeric) figure.append(keyOf(changes));
  Object.assign(shownChart, { changes, x, start, end, isByTime, index: changes.length - 1, svg, output: caption.lastChild });
  const at = (event) => {
    const box = svg.getBoundingClientRect(), place = (event.clientX - box.left) / box.width * width;
    const after = changes.findIndex((change) => x(change) > place);
    return after < 0 ? changes.length - 1 : Math.max(0, after - 1);
  };
  svg.addEventListener("pointermove", (event) => selectChange(at(event)));
  svg.addEventListener("click", (event) => go(changes[at(event)].seq));
  svg.addEventListener("keydown", (event) => {
    const { index } = shownChart, last = changes.length - 1;
    const next = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1, Home: 0, End: last, PageUp: index + 10, PageDown: index - 10 }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (next !== undefined) selectChange(Math.min(last, Math.max(0, next)));
    else if (event.key === "Enter" || event.key === " ") go(changes[index].seq);
    else return;
    event.preventDefault();
  });
  selectChange(changes.length - 1);
  drawPosition();
  return figure;
}

function selectChange(index) {
  const { changes, x, svg, output } = shownChart, change = changes[index];
  shownChart.index = index;
  const text = "revision " + change.seq + ": " + (change.new ?? nothing);
  svg.setAttribute("aria-valuenow", index + 1);
  svg.setAttribute("aria-valuetext", text);
  output.textContent = text;
  const place = svg.querySelector("#chart-place");
  for (const name of ["x1", "x2"]) place.setAttribute(name, x(change));
}

// Where the page is in the chart.
function drawPosition() {
  const now = shownChart.svg?.querySelector("#chart-now");
  if (!now) return;
  const { start, end, isByTime } = shownChart;
  const place = isByTime ? Date.parse(view.time ?? "") : view.revision;
  const isInside = place >= start && place <= end;
  now.style.display = isInside ? "" : "none";
  for (const name of ["x1", "x2"]) if (isInside) now.setAttribute(name, (place - start) / (end - start) * chartSize.width);
}

// At most this many points for each unit of the width: further ones cannot be distinguished.
const pointsPerUnit = 4;
function lineOf(changes, x) {
  const numbers = changes.map((change) => change.new === undefined ? NaN : Number(change.new)).map((value) => Number.isFinite(value) ? value : NaN);
  const known = numbers.filter((value) => !Number.isNaN(value));
  const least = known.reduce((least, value) => Math.min(least, value), Infinity), most = known.reduce((most, value) => Math.max(most, value), -Infinity);
  const y = (value) => (most === least ? 0.5 : (most - value) / (most - least)) * (chartSize.height - 8) + 4;
  let path = "", isDrawn = false, column = -1, count = 0;
  numbers.forEach((value, index) => {
    const place = x(changes[index]), next = Math.floor(place);
    count = next === column ? count + 1 : 0;
    column = next;
    // Of many changes at one place, the first ones and the extremes are drawn.
    if (count > pointsPerUnit && index < numbers.length - 1 && value !== least && value !== most) return;
    if (isDrawn) path += "H" + place.toFixed(2);
    if (Number.isNaN(value)) isDrawn = false;
    else {
      path += (isDrawn ? "V" + y(value).toFixed(2) : "M" + place.toFixed(2) + " " + y(value).toFixed(2));
      isDrawn = true;
    }
  });
  if (isDrawn) path += "H" + chartSize.width;
  return drawing("path", { d: path });
}

function numbersOf(changes) {
  const found = changes.filter((change) => change.new !== undefined && Number.isFinite(Number(change.new)));
  if (found.length === 0) return plural(changes.length, "change");
  const by = (isBetter) => found.reduce((best, change) => isBetter(Number(change.new), Number(best.new)) ? change : best);
  const least = by((value, best) => value < best), most = by((value, best) => value > best);
  return plural(changes.length, "change") + ", least " + least.new + " at revision " + least.seq + ", greatest " + most.new + " at revision " + most.seq;
}

const valuesOf = (changes) => plural(changes.length, "change") + ", " + plural(distinct(changes).length, "value");
const distinct = (changes) => [...new Set(changes.map((change) => change.new ?? nothing))];

function barsOf(changes, x) {
  const values = distinct(changes);
  return changes.flatMap((change, index) => {
    const from = x(change), to = index + 1 < changes.length ? x(changes[index + 1]) : chartSize.width;
    const number = values.indexOf(change.new ?? nothing);
    if (change.new === undefined || to - from < 0.1) return [];
    const bar = drawing("rect", { x: from, y: 4, width: to - from, height: chartSize.height - 8, opacity: number < 9 ? 1 : 0.5 });
    bar.style.fill = colorNumber(number);
    return [bar];
  });
}

// Which color is which value.
function keyOf(changes) {
  return element("p", "buttons key", ...distinct(changes).flatMap((value, index) => value === nothing ? []
    : [element("span", "", swatch(index), value.length > 40 ? value.slice(0, 40) + "…" : value)]));
}

// The actions that led to the shown one, and those that follow from it.
const causesPause = 120;
let causing, causesAsked = 0, causesTime = -causesPause, isReadingCauses = false, areCausesSeen = false;
// They are read when they are in view.
new IntersectionObserver((entries) => {
  const wereSeen = areCausesSeen;
  areCausesSeen = entries.at(-1).isIntersecting;
  if (areCausesSeen && !wereSeen && tree.root) loadCauses();
}).observe(byId("causes"));
function loadCauses() {
  clearTimeout(causing);
  const number = ++causesAsked, at = view.revision;
  isReadingCauses = at !== log.first && areCausesSeen;
  if (at !== log.first && !areCausesSeen) {
    byId("causes-count").textContent = "";
    return byId("causes").replaceChildren(element("p", "remark", "…"));
  }
  if (!isReadingCauses) {
    byId("causes").replaceChildren(element("p", "remark", "The start has no cause."));
    byId("causes-count").textContent = "";
    return;
  }
  // At once, but not for each action of a fast walk.
  const pause = view.isFollowing ? renewPause : causesPause, wait = Math.max(0, causesTime + pause - performance.now());
  causing = setTimeout(async () => {
    causesTime = performance.now();
    try {
      const found = await get("causes", { at, count: 200 });
      if (number === causesAsked) showCauses(found);
    } catch (error) {
      if (number === causesAsked && error.code !== "revisionOutOfRange") fail(error);
    } finally { if (number === causesAsked) isReadingCauses = false; }
  }, wait);
}

function showCauses({ revision, total, offset, nodes, correlation, notice, isCut, indexed }) {
  const host = byId("causes");
  host.replaceChildren();
  byId("causes-count").textContent = total > 1 ? plural(total, "action") + (isCut ? ", and there may be more" : "") : "";
  if (total === 1) host.append(element("p", "remark", "It names no cause, and no action names it" + (indexed < log.last ? " so far" : "") + "."));
  else {
    if (offset > 0) host.append(element("p", "remark", "… after " + plural(offset, "action")));
    // A list in a list for each step from cause to effect.
    const lists = [element("ul")], first = nodes[0]?.depth ?? 0;
    for (const node of nodes) {
      const depth = Math.max(0, node.depth - first);
      while (lists.length > depth + 1) lists.pop();
      while (lists.length <= depth && lists.at(-1).lastChild) lists.push(lists.at(-1).lastChild.appendChild(element("ul")));
      const button = goButton(node.seq, node.seq + " " + escaped(node.type), "path");
      if (node.seq === revision) button.ariaCurrent = "true";
      lists.at(-1).append(element("li", "", button, ...node.actor ? [element("span", "actor", " " + escaped(node.actor))] : []));
    }
    host.append(lists[0]);
    if (offset + nodes.length < total) host.append(element("p", "remark", "… and " + plural(total - offset - nodes.length, "more action")));
  }
  if (notice) host.append(element("p", "remark", escaped(notice)));
  if (correlation !== undefined) {
    host.append(buttonOf("", "Actions of correlation " + escaped(correlation), {
      click: () => filter(byId("filter").value = "meta/correlation == " + JSON.stringify(correlation)),
    }));
  }
  if (total > 1) {
    host.append(commandLine(["action-log", "list", log.path, "--cause", revision].map(shellWord).join(" ")));
  }
}

// A word of a command line, quoted as the tool does.
const commandOf = (...words) => ["action-log", ...words, ...log.options].map(shellWord).join(" ");
const shellWord = (text) => /^[\p{L}\p{N}/._\-+,:@%]+$/u.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
