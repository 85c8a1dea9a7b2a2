let asking = null;
// Asks a question, and cancels the one before it.
async function ask(body, label, take, failed = fail) {
  asking?.abort();
  quiet?.abort();
  const controller = asking = new AbortController();
  byId("answer").hidden = true;
  say(label + " …");
  try {
    const answer = await run(body, {
      signal: controller.signal,
      progress: ({ reached, of, results }) => {
        say(label + ": " + number(reached) + (of ? " of " + number(of) : "") + ". Esc cancels");
        if (body.kind === "filter" && results.length) take(null, results);
      },
    });
    if (controller.signal.aborted) return;
    for (const hint of answer.hints) notice({ message: hint.split("\n")[0], excerpt: hint.split("\n").slice(1) });
    take(answer, answer.results);
  } catch (error) {
    if (error.name === "AbortError") { if (asking === controller) say("canceled"); } else failed(error);
  } finally { if (asking === controller) asking = null; }
}

// `until`: a time up to which the value holds that an action at or before `at` set.
function blame(at = view.revision, until = view.action?.get("time")) {
  const { pointer } = view;
  if (isCutPath(pointer)) return say(cutText);
  ask({ kind: "blame", path: pointer, at }, "who changed it", (found) => {
    const { change, text } = showBlame(pointer, at, until, found);
    say(change ? "changed by action " + change.seq + ", " + escaped(change.type) + ", from " + (change.old ?? nothing) + " to "
      + (change.new ?? nothing) : text);
  });
}

function showBlame(pointer, at, until, { answer: { change }, command }) {
  const text = change ? "" : "unchanged from the beginning to revision " + at;
  view.answer = { pointer, change, text, command, until };
  showValue();
  return view.answer;
}

let quiet = null;
// Asks who set the selected value, without messages. The next selection and the next question cancel it.
async function blameQuietly() {
  if (isCutPath(view.pointer)) return;
  const { pointer, revision } = view, until = view.action?.get("time"), controller = quiet = new AbortController();
  try {
    const found = await run({ kind: "blame", path: pointer, at: revision }, { signal: controller.signal });
    if (!controller.signal.aborted && pointer === view.pointer) showBlame(pointer, revision, until, found);
  } catch { /* `b` asks again, and shows the failure */ } finally { if (quiet === controller) quiet = null; }
}

function askHistory() {
  const { pointer } = view;
  if (pointer === "") return say("select a value: every action changes the state");
  if (isCutPath(pointer)) return say(cutText);
  const range = view.range ? { from: firstShown(), to: lastShown() } : {};
  ask({ kind: "history", path: pointer, ...range }, "history", ({ answer, command }, changes) => {
    view.answer = { pointer, changes, isNumeric: answer.isNumeric, isCut: answer.isCut, command };
    showValue();
    pane("details");
    say(plural(answer.count, "change") + " of the value");
  });
}

// Finds the actions that suffice to make the condition hold at this revision.
function minimize(condition) {
  const at = view.revision;
  ask({ kind: "minimize", condition, at }, "minimize", ({ answer, command }) => {
    const host = byId("answer"), revisions = element("p", "buttons");
    for (const revision of answer.revisions.slice(0, 100)) {
      const button = element("button", "", String(revision));
      button.type = "button";
      button.dataset.revision = revision;
      revisions.append(button);
    }
    const test = element("button", "", "Write a test of them");
    test.type = "button";
    test.addEventListener("click", () => writeTest({ from: log.first, to: at, minimize: condition }));
    const text = plural(answer.revisions.length, "action") + " of " + number(answer.of) + " suffice"
      + (answer.isMinimal ? "" : "; fewer may, because the search reached its limit");
    host.className = "answer";
    host.replaceChildren(element("span", "", text), revisions, test, commandLine(command));
    host.hidden = false;
    say(text);
  });
}

// Asks for a file, and downloads it.
function download(body, label) {
  ask(body, label, async ({ answer, command, job }) => {
    try {
      const text = await send("GET", "jobs/" + job + "/file"), link = element("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = answer.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      // The server need not keep the file.
      forget(job);
      const host = byId("answer"), actions = plural(answer.actions, "action");
      const found = answer.of !== undefined ? number(answer.actions) + " of " + plural(answer.of, "action")
        : actions + ", verify: " + answer.verify.verdict + ", replay: " + answer.replay.verdict;
      host.className = "answer";
      host.replaceChildren(element("span", "", answer.name + ": " + found), commandLine(command));
      host.hidden = false;
      say("downloaded " + answer.name);
    } catch (error) { fail(error); }
  });
}

// Writes a test that folds actions again.
const writeTest = (range = chosenStates()) => download({ kind: "test", ...range }, "writing a test");

// The states before the first and after the last action of a test or a bug report: those of the range, or else from the compared
// state, or the start, to the shown one.
function chosenStates() {
  if (view.range) return { from: Math.max(log.first, firstShown() - 1), to: lastShown() };
  const ends = [view.base ?? log.first, view.revision];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

async function forget(job) {
  try { await send("DELETE", "jobs/" + job); } catch { /* the server has forgotten it already */ }
}

function openReport() {
  const { from, to } = chosenStates();
  for (const [id, value] of [["reporting-from", Math.min(from + 1, log.last)], ["reporting-to", to]]) {
    byId(id).min = log.first + 1;
    byId(id).max = log.last;
    byId(id).value = value;
  }
  byId("reporting").showModal();
  byId("reporting-remark").focus();
}
byId("reporting-form").addEventListener("submit", () => {
  const remark = byId("reporting-remark").value;
  const [from, to] = ["reporting-from", "reporting-to"].map((id) => Number(byId(id).value));
  download({ kind: "bug-report", from, to, ...(remark ? { remark } : {}) }, "writing a bug report");
});

function searchFor(kind) {
  const condition = byId("filter").value.trim();
  if (!isCondition(condition)) return say("type a condition, such as /value > 3");
  if (kind === "minimize") return minimize(condition);
  const body = { kind, condition };
  if (view.range) [body.from, body.to] = [firstShown(), lastShown()];
  if (kind === "first") body.from = Math.max(firstShown(), view.revision + 1);
  if (kind === "last") body.to = Math.min(lastShown(), view.revision - 1);
  if ((body.from ?? log.first) > (body.to ?? log.last)) return say("there is no " + (kind === "last" ? "earlier" : "later") + " revision");
  const where = { first: " after revision " + view.revision, last: " before revision " + view.revision, bisect: "" }[kind];
  ask(body, kind, ({ answer, command }) => {
    const host = byId("answer");
    if (host.hidden) {
      host.className = "answer";
      host.replaceChildren();
    }
    const text = answer.revision === null ? "holds nowhere" + where
      : "holds at revision " + answer.revision + (answer.isMonotonic === false ? "; it comes and goes" : "");
    host.append(element("span", "", escaped(condition) + " " + text), commandLine(command));
    host.hidden = false;
    say(escaped(condition) + " " + text);
    if (answer.revision !== null) go(answer.revision);
  });
}

// Lists the actions with words, that changed a value, or at which a condition holds.
function filter(text) {
  const wanted = text.trim();
  byId("searches").hidden = !isCondition(wanted);
  if (wanted === "" && view.off.size === 0) {
    asking?.abort();
    byId("answer").hidden = true;
    view.filter = null;
    byId("count").textContent = "";
    showFound();
    return list.show(rowCount(), indexOf(view.revision));
  }
  let job = null;
  const range = view.range ? { from: Math.max(log.first + 1, firstShown()), to: lastShown() } : {};
  const types = view.off.size ? { types: log.types.map(({ type }) => type).filter((type) => !view.off.has(type)) } : {};
  ask({ kind: "filter", text: wanted, ...range, ...types }, "searching", (answer, revisions) => {
    if (!answer) return;
    job = answer.job;
    view.filter = {
      revisions, total: revisions.length, isCondition: isCondition(wanted),
      rows: new Chunks(async (offset, count) => (await get("actions", { job, offset, count })).actions, () => list.draw()),
    };
    const total = number(revisions.length) + " of " + plural(log.last - log.first, "action");
    byId("count").textContent = total + (answer.answer.isCut ? ", and there are more" : "");
    say(plural(revisions.length, "action") + " of " + number(log.last - log.first) + " found");
    list.show(rowCount(), indexOf(view.revision));
    showFound();
  });
}

const searchAgain = () => filter(byId("filter").value);
