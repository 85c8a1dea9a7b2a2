// The number of actions over time or over the revisions, by type. `view.range` is the part that the user brushed; the list and the
// questions stay within it. `view.zoom` is the part that is drawn.
Object.assign(view, { range: null, zoom: null, axis: "time", off: new Set() });
const firstShown = () => view.range ? view.range[0] : log.first;
const lastShown = () => view.range ? Math.min(view.range[1], log.last) : log.last;

const timeline = { data: null, asked: 0, drag: null };
const canvas = byId("density");

async function loadTimeline() {
  const number = ++timeline.asked, [from, to] = view.zoom ?? [log.first + 1, undefined];
  const buckets = Math.max(20, Math.min(2000, Math.floor(canvas.clientWidth / 3)));
  try {
    const data = await get("density", { axis: view.axis, from, to, buckets });
    if (number !== timeline.asked) return;
    const isRecolored = String(timeline.data?.types) !== String(data.types);
    timeline.data = data;
    // The rows have the colors of the legend.
    if (isRecolored) list.draw();
    drawTimeline();
    showTicks();
    showLegend();
    showTable();
  } catch (error) { fail(error); }
}

const colorOf = (index) => getComputedStyle(document.documentElement).getPropertyValue("--type-" + index).trim();

function drawTimeline() {
  const { data } = timeline, ratio = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  showFlag();
  if (!data) return;
  const context = canvas.getContext("2d"), width = canvas.width / Math.max(1, data.counts.length);
  const shown = (counts) => counts.map((count, index) => view.off.has(data.types[index]) ? 0 : count);
  const most = Math.max(1, ...data.counts.map((counts) => shown(counts).reduce((sum, count) => sum + count, 0)));
  // Few actions next to many are still seen.
  const scale = (count) => Math.sqrt(count / most) * (canvas.height - 2 * ratio);
  data.counts.forEach((counts, bucket) => {
    let sum = 0, bottom = canvas.height;
    shown(counts).forEach((count, index) => {
      if (count === 0) return;
      sum += count;
      const top = canvas.height - scale(sum);
      context.fillStyle = colorOf(index);
      context.fillRect(bucket * width, top, Math.max(1, width - ratio), Math.max(1, bottom - top));
      bottom = top;
    });
  });
  const style = getComputedStyle(canvas);
  const markAt = (revision, color, thick) => {
    const bucket = bucketOf(revision);
    if (bucket === null) return;
    context.fillStyle = color;
    context.fillRect(bucket * width, 0, thick * ratio, canvas.height);
  };
  for (const mark of log.marks) markAt(mark.seq, style.getPropertyValue("--changed"), 1);
  const { answer } = whatIf;
  if (answer && answer.firstDivergence !== null) markAt(answer.firstDivergence, style.getPropertyValue("--removed"), 2);
  markAt(view.target, style.getPropertyValue("--accent"), 2);
  context.fillStyle = style.getPropertyValue("--text");
  holding().forEach((count, bucket) => { if (count > 0) drawDiamond(context, (bucket + .5) * width, 3 * ratio); });
  const range = timeline.drag?.range ?? (view.range && view.range !== view.zoom ? view.range : null);
  if (range) {
    const [left, right] = range.map((revision) => bucketOf(revision) ?? (revision < data.from ? 0 : data.counts.length - 1));
    context.globalAlpha = 0.2;
    context.fillStyle = style.getPropertyValue("--accent");
    context.fillRect(left * width, 0, (right - left + 1) * width, canvas.height);
    context.globalAlpha = 1;
  }
}

function drawDiamond(context, x, size) {
  context.beginPath();
  for (const [side, top] of [[0, -1], [1, 0], [0, 1], [-1, 0]]) context.lineTo(x + side * size, (top + 1.3) * size);
  context.fill();
}

// The number of revisions in each part of the timeline at which the condition of the filter holds.
function holding() {
  const { data } = timeline, revisions = view.filter?.isCondition && !view.isOld ? view.filter.revisions : [];
  if (revisions.length === 0) return [];
  const starts = data.first.map((first) => firstFrom(revisions, first)), end = firstFrom(revisions, data.to + 1);
  return starts.map((start, bucket) => (starts[bucket + 1] ?? end) - start);
}

// Shows where the condition of the filter holds.
function showFound() {
  drawTimeline();
  if (timeline.data) showTable();
}

// The part of the timeline that has a revision; null if it is not drawn.
function bucketOf(revision) {
  const { data } = timeline;
  if (!data || data.counts.length === 0 || revision < data.from || revision > data.to) return null;
  // Parts without actions lead to the next one.
  let bucket = Math.max(0, firstFrom(data.first, revision + 1) - 1);
  while (bucket > 0 && data.first[bucket - 1] === data.first[bucket]) bucket--;
  while (bucket < data.counts.length - 1 && data.counts[bucket].every((count) => count === 0)) bucket++;
  return bucket;
}

// The middle of a part, as a share of the width that leaves room for a text of some pixels.
function putAt(host, bucket, room) {
  const width = canvas.clientWidth, x = (bucket + .5) / timeline.data.counts.length * width;
  host.style.insetInlineStart = Math.max(room / 2, Math.min(width - room / 2, x)) + "px";
}

// Where the page is, also while the state of a far revision is folded.
function showFlag() {
  const flag = byId("flag"), bucket = bucketOf(view.target), time = view.revision === view.target ? view.action?.get("time") : null;
  flag.hidden = bucket === null;
  if (flag.hidden) return;
  flag.textContent = number(view.target) + (time ? " · " + shortTime(time) : "");
  putAt(flag, bucket, flag.offsetWidth);
}

const clock = (time) => new Date(time).toISOString();
// The time of day, after the day if the timeline shows more than one.
const shortTime = (time) => (Date.parse(timeline.data.end) - Date.parse(timeline.data.start) > day ? time.slice(0, 10) + " " : "") + time.slice(11, 19);

// Round numbers below the timeline: times of day, days, or revisions.
const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const steps = [1, 2, 5, 10, 30].flatMap((count) => [count * second, count * minute])
  .concat([1, 2, 3, 6, 12].map((count) => count * hour), [1, 2, 7, 30, 90, 365].map((count) => count * day)).sort((a, b) => a - b);
function showTicks() {
  const { data } = timeline, ticks = byId("ticks"), isByTime = view.axis === "time" && data.start;
  ticks.replaceChildren();
  if (data.counts.length === 0) return;
  // Parts of equal numbers of revisions: the last one may be longer than what is left.
  const length = data.first.length > 1 ? (data.first[1] - data.first[0]) * data.first.length : data.to - data.from + 1;
  const [from, to] = isByTime ? [Date.parse(data.start), Date.parse(data.end)] : [data.from, data.from + length], most = Math.max(2, canvas.clientWidth / 110);
  const least = (to - from) / most, power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, least)) - 1));
  const step = isByTime ? steps.find((length) => length >= least) ?? Math.ceil(least / (365 * day)) * 365 * day : [1, 2, 5, 10].map((count) => count * power).find((length) => length >= least);
  for (let value = Math.ceil(from / step) * step; value <= (isByTime ? to : data.to); value += step) {
    const text = !isByTime ? number(value) : step >= day ? clock(value).slice(0, 10) : clock(value).slice(11, step < minute ? 19 : 16);
    const tick = element("span", "", text);
    tick.style.insetInlineStart = (to > from ? (value - from) / (to - from) * 100 : 0) + "%";
    ticks.append(tick);
  }
}

// What a part has, next to the pointer.
function showHover(event) {
  const { data } = timeline, hover = byId("hover"), bucket = bucketAt(event), first = data.first[bucket], sum = data.counts[bucket].reduce((a, b) => a + b, 0);
  const kinds = data.counts[bucket].map((count, index) => [count, leafOf(data.types[index])]).filter(([count]) => count > 0).sort((a, b) => b[0] - a[0]);
  const start = Date.parse(data.start), time = start + (Date.parse(data.end) - start) * bucket / data.counts.length;
  hover.hidden = false;
  hover.textContent = (view.axis === "time" && data.start ? shortTime(clock(time)) + "  " : "") + between([first, Math.max(first, lastOf(bucket))])
    + "  " + plural(sum, "action") + kinds.slice(0, 3).map(([count, leaf]) => "\n" + number(count) + " " + escaped(leaf)).join("");
  putAt(hover, bucket, hover.offsetWidth);
}

function bucketAt(event) {
  const box = canvas.getBoundingClientRect(), count = timeline.data.counts.length;
  return Math.min(count - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * count)));
}
const lastOf = (bucket) => {
  const { data } = timeline;
  const next = data.first.find((first, index) => index > bucket && first > data.first[bucket]);
  return next === undefined ? data.to : Math.max(data.first[bucket], next - 1);
};

const colorNumber = (index) => `var(--type-${index % 9})`;
function swatch(index) {
  const made = element("span", "swatch");
  Object.assign(made.style, { background: colorNumber(index), opacity: index < 9 ? 1 : 0.5 });
  return made;
}

function showLegend() {
  const { types, counts } = timeline.data;
  const used = types.map((_, index) => counts.some((count) => count[index] > 0));
  const names = types.filter((_, index) => used[index]).map(escaped);
  byId("legend").replaceChildren(...types.flatMap((type, index) => {
    // The remaining types have no name that a filter can take.
    if (!used[index]) return [];
    const leaf = leafOf(escaped(type)), isOther = type === "other" && index === types.length - 1;
    const button = buttonOf("", leaf, { title: escaped(type), disabled: isOther, ...isOther ? {} : { data: { type }, ariaPressed: !view.off.has(type) } });
    if (names.filter((name) => leafOf(name) === leaf).length > 1) button.append(" ", element("span", "rest", restOf(escaped(type))));
    button.prepend(swatch(index));
    return [button];
  }));
}

// The same for screen readers, in at most 20 parts.
function showTable() {
  const { data } = timeline, step = Math.ceil(data.counts.length / 20) || 1, rows = [], found = holding();
  const total = (counts) => counts.flat().reduce((sum, count) => sum + count, 0);
  for (let bucket = 0; bucket < data.counts.length; bucket += step) {
    const sum = total(data.counts.slice(bucket, bucket + step)), first = data.first[bucket];
    const last = (data.first[bucket + step] ?? data.to + 1) - 1, cells = [last < first ? "before revision " + first : between([first, last]), plural(sum, "action")];
    if (found.length) cells.push("the condition holds at " + number(total(found.slice(bucket, bucket + step))));
    rows.push(element("tr", "", ...cells.map((text) => element("td", "", text))));
  }
  byId("density-caption").textContent = "Actions over time, " + (data.counts.length ? between([data.from, data.to]) : "none")
    + (view.range ? "; the range is " + between(view.range) : "");
  byId("density-rows").replaceChildren(...rows);
}

const between = ([from, to]) => from === to ? "revision " + from : "revisions " + from + " to " + to;

function brush(range) {
  view.range = range;
  say(range ? "the range is " + between(range) : "the range is the complete log");
  byId("range").hidden = byId("range-test").hidden = byId("range-skip").hidden = range === null;
  byId("range").textContent = range ? number(range[0]) + "…" + number(range[1]) + " ×" : "";
  showFound();
  searchAgain();
}

// The range begins or ends at the shown revision.
function setEnd(isStart) {
  const { target } = view, [from, to] = view.range ?? [log.first, log.last];
  brush(isStart ? [target, Math.max(target, to)] : [Math.min(from, target), target]);
}

function zoom(range) {
  view.zoom = range;
  say("the timeline shows " + (range ? between(range) : "the complete log"));
  loadTimeline();
}

// Shows a part of the log that is longer by a factor; a revision stays at its place.
function zoomBy(factor, center) {
  const { data } = timeline;
  if (!data?.counts.length) return;
  const length = data.to - data.from + 1, wanted = Math.max(20, Math.round(length * factor));
  const share = Math.min(1, Math.max(0, (center - data.from) / length));
  const from = Math.max(log.first + 1, Math.round(center - share * wanted)), to = from + wanted - 1;
  zoom(from <= log.first + 1 && to >= log.last ? null : [from, Math.min(to, log.last)]);
}
const zoomAtRevision = (factor) => zoomBy(factor, view.target);

function toggleType(type) {
  if (!view.off.delete(type)) view.off.add(type);
  drawTimeline();
  for (const button of byId("legend").querySelectorAll("[data-type]")) button.setAttribute("aria-pressed", String(!view.off.has(button.dataset.type)));
  searchAgain();
}

function switchAxis() {
  view.axis = view.axis === "time" ? "revision" : "time";
  byId("axis").textContent = "by " + view.axis;
  say("the timeline is by " + view.axis);
  shownAnswer = null;
  if (tree.root) showValue();
  loadTimeline();
}

// A drag goes where it is, and with Shift selects a range.
canvas.addEventListener("pointerdown", (event) => {
  if (!timeline.data?.counts.length || event.button !== 0) return;
  canvas.setPointerCapture(event.pointerId);
  timeline.drag = { start: bucketAt(event), range: null, isRange: event.shiftKey };
  if (!event.shiftKey) go(timeline.data.first[timeline.drag.start]);
});
canvas.addEventListener("pointermove", (event) => {
  const { drag, data } = timeline;
  if (!data?.counts.length) return;
  showHover(event);
  if (!drag) return;
  const bucket = bucketAt(event);
  if (!drag.isRange) {
    if (data.first[bucket] !== view.target) go(data.first[bucket]);
    return;
  }
  const [left, right] = [drag.start, bucket].sort((a, b) => a - b);
  drag.range = left === right ? null : [data.first[left], lastOf(right)];
  drawTimeline();
});
canvas.addEventListener("pointerup", () => {
  const range = timeline.drag?.range;
  timeline.drag = null;
  if (range) brush(range);
});
canvas.addEventListener("pointercancel", () => { timeline.drag = null; });
canvas.addEventListener("pointerleave", () => { byId("hover").hidden = true; });
canvas.addEventListener("dblclick", () => { if (view.zoom) zoom(null); });
canvas.addEventListener("wheel", (event) => {
  const { data } = timeline;
  if (!data?.counts.length) return;
  event.preventDefault();
  zoomBy(event.deltaY > 0 ? 2 : 0.5, data.first[bucketAt(event)]);
}, { passive: false });
byId("range-test").addEventListener("click", () => writeRangeTest());
byId("range-skip").addEventListener("click", () => skipRange([firstShown(), lastShown()]));
byId("range").addEventListener("click", () => brush(null));
byId("legend").addEventListener("click", (event) => {
  const type = event.target.closest("button")?.dataset.type;
  if (type) toggleType(type);
});
new ResizeObserver(() => { if (timeline.data) loadTimeline(); }).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawTimeline());
