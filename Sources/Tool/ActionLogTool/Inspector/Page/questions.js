let asking = null;
// Asks a question, and cancels the one before it. `take` gets the answer, and `found` the results so far.
async function ask(body, label, take, failed = fail, found = () => {}) {
  asking?.abort();
  quiet?.abort();
  const controller = asking = new AbortController();
  byId("answer").hidden = true;
  sayProgress(label + " …");
  try {
    const answer = await run(body, {
      signal: controller.signal,
      progress: ({ reached, of, results }) => {
        sayProgress(label + ": " + number(reached) + (of ? " of " + number(of) : "") + ". Esc cancels");
        found(results);
      },
    });
    if (controller.signal.aborted) return;
    await take(answer, answer.results);
    // What may be wrong with a question, below its answer.
    if (answer.hints.length > 0 && byId("answer").hidden) showAnswer("");
    byId("answer").append(...answer.hints.map((hint) => element("p", "hint", escaped(hint))));
    // Only a branch is read from its job.
    if (body.kind !== "what-if") forget(answer.job);
  } catch (error) {
    if (error.name === "AbortError") { if (asking === controller) say("canceled"); } else failed(error);
  } finally {
    if (asking === controller) {
      asking = null;
      endProgress();
    }
  }
}

// The selected value stays selected after a question about it.
function keepSelection() {
  view.isChosen = view.pointer !== "";
  address();
}

// `until`: a time up to which the value holds that an action at or before `at` set.
function blame(at = view.revision, until = view.time) {
  const { pointer } = view;
  if (isCutPath(pointer)) return say(cutText);
  keepSelection();
  ask({ kind: "blame", path: pointer, at }, "who changed it", (found) => {
    const { change, text } = showBlame(pointer, at, until, found);
    say(change ? "changed by action " + change.seq + ", " + escaped(change.type) + ", from " + (change.old ?? nothing) + " to "
      + (change.new ?? nothing) : text);
  });
}

function showBlame(pointer, at, until, { answer: { change }, command }) {
  const start = log.first === 0 ? "the beginning" : "revision " + log.first + ", the first of this " + whole + ",";
  const text = change ? "" : "unchanged from " + start + " to revision " + at;
  view.answer = { pointer, change, text, command, until };
  showValue();
  return view.answer;
}

let quiet = null;
// Asks who set the selected value, without messages. The next selection and the next question cancel it.
async function blameQuietly() {
  if (isCutPath(view.pointer)) return;
  const { pointer, revision } = view, until = view.time, controller = quiet = new AbortController();
  try {
    const found = await run({ kind: "blame", path: pointer, at: revision }, { signal: controller.signal });
    if (!controller.signal.aborted && pointer === view.pointer) showBlame(pointer, revision, until, found);
  } catch { /* `b` asks again, and shows the failure */ } finally { if (quiet === controller) quiet = null; }
}

function askHistory() {
  const { pointer } = view;
  if (pointer === "") return say("select a value: every action changes the state");
  if (isCutPath(pointer)) return say(cutText);
  keepSelection();
  const range = view.range ? { from: firstShown(), to: lastShown() } : {};
  ask({ kind: "history", path: pointer, ...range }, "history", ({ answer, command }, changes) => {
    view.answer = { pointer, changes, isNumeric: answer.isNumeric, isCut: answer.isCut, command };
    showValue();
    pane("details");
    say(plural(answer.count, "change") + " of the value");
  });
}

// The answer of `minimize`: the actions, and what a test of them expects. It stays until it is closed, because tests and bug
// reports use it.
let minimized = null;

// Finds the actions that suffice to make the condition hold at this revision.
function minimize(condition) {
  const at = view.target;
  ask({ kind: "minimize", condition, at }, "minimize", ({ answer, command }) => {
    minimized = { ...answer, condition, at, command };
    const text = plural(answer.revisions.length, "action") + " of " + number(answer.of) + (answer.revisions.length === 1 ? " suffices" : " suffice")
      + (answer.isMinimal ? "" : "; fewer may, because the search reached its limit");
    showMinimized(text);
    suggestExpectation();
    say(text);
  });
}

function showMinimized(text) {
  const { condition, at, actions, revisions, command } = minimized, rest = revisions.length - actions.length;
  byId("minimized-text").textContent = text + " for " + escaped(condition) + " at revision " + at;
  byId("minimized-actions").replaceChildren(...actions.map((action) => element("li", "",
    goButton(action.seq, String(action.seq), "path"), " ", element("span", "remark", timeOf(action.time)), " ", typeOf(action))),
  ...rest > 0 ? [element("li", "remark", "… and " + plural(rest, "more action"))] : []);
  byId("minimized-command").replaceChildren(commandLine(command));
  byId("minimized").hidden = false;
}
byId("minimized-close").addEventListener("click", closeMinimized);
byId("expectation").addEventListener("input", () => {
  minimized.isEdited = true;
  byId("expectation-source").textContent = "this condition:";
});
byId("expecting").addEventListener("submit", (event) => {
  event.preventDefault();
  writeMinimizedTest();
});

function closeMinimized() {
  minimized = null;
  byId("minimized").hidden = true;
}

// The condition that a test of the minimized actions expects, until the user edits it: the value of the what-if, if it has another
// one at a path of the condition, and otherwise that the condition does not hold.
function suggestExpectation() {
  if (minimized === null || minimized.isEdited) return;
  const { condition, at, paths } = minimized;
  if (whatIf.answer !== null && whatIf.at !== at) return;
  let text = "not (" + condition + ")", source = "that the condition does not hold:";
  for (const { path, new: after, cut } of whatIf.changes) {
    const name = conditionPath(path);
    if (!paths.includes(path) || cut || name === null || /^[[{]/.test(after ?? "")) continue;
    [text, source] = [after === undefined ? "not " + name + " exists" : name + " == " + after, "the value of the what-if:"];
    break;
  }
  byId("expectation").value = text;
  byId("expectation-source").textContent = source;
}

function writeMinimizedTest() {
  const { condition, at } = minimized, expect = byId("expectation").value.trim();
  if (expect === "") {
    byId("expectation").focus();
    return say("type the condition that the test expects");
  }
  download({ kind: "test", from: log.first, to: at, minimize: condition, expect }, "writing a test");
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
      const actions = plural(answer.actions, "action");
      const found = answer.of !== undefined ? number(answer.actions) + " of " + plural(answer.of, "action")
        : actions + ", verify: " + answer.verify.verdict + ", replay: " + answer.replay.verdict;
      const parts = [element("span", "", answer.name + ": " + found)];
      if (body.expect) {
        parts.push(element("p", answer.passes ? "wrong" : "", "The test expects " + escaped(body.expect)
          + (answer.passes ? ", which holds already: it passes with the bug, too" : ". It fails until that holds")));
      } else if (body.kind === "test") {
        parts.push(element("p", "wrong", "The test expects the recorded state, so it passes with a bug in it. Minimize a condition "
          + "for a test that fails until the bug is fixed"));
      }
      showAnswer("", ...parts, commandLine(command));
      say("downloaded " + answer.name);
    } catch (error) { fail(error); }
  });
}

// Writes a test that folds actions again: the minimized ones, or those of a range.
const writeTest = () => minimized ? writeMinimizedTest() : writeRangeTest();
const writeRangeTest = () => download({ kind: "test", ...chosenStates() }, "writing a test");

// The states before the first and after the last action of a test or a bug report: those of the range, or else from the compared
// state, or the start, to the shown one.
function chosenStates() {
  if (view.range) return { from: Math.max(log.first, firstShown() - 1), to: lastShown() };
  const ends = [view.base ?? log.first, view.target];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

function openReport() {
  const { from, to } = minimized ? { from: minimized.revisions[0] - 1, to: minimized.at } : chosenStates();
  byId("reporting-note").hidden = minimized === null;
  if (minimized) byId("reporting-note").textContent = "These are the actions from the first minimized one to revision " + minimized.at + ".";
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
  if (!isCondition(condition)) {
    pane("actions");
    byId("filter").focus();
    byId("filter").select();
    return say("type a condition, such as /value > 3");
  }
  if (kind === "minimize") return minimize(condition);
  const body = { kind, condition };
  if (view.range) [body.from, body.to] = [firstShown(), lastShown()];
  if (kind === "first") body.from = Math.max(firstShown(), view.target + 1);
  if (kind === "last") body.to = Math.min(lastShown(), view.target - 1);
  if ((body.from ?? log.first) > (body.to ?? log.last)) return say("there is no " + (kind === "last" ? "earlier" : "later") + " revision");
  const where = { first: " after revision " + view.target, last: " before revision " + view.target, bisect: "" }[kind];
  ask(body, kind, ({ answer, command }) => {
    const text = answer.revision === null ? "holds nowhere" + where
      : "holds at revision " + answer.revision + (answer.isMonotonic === false ? "; it comes and goes" : "");
    showAnswer("", element("span", "", escaped(condition) + " " + text), commandLine(command));
    say(escaped(condition) + " " + text);
    if (answer.revision !== null) go(answer.revision);
  });
}

// Whether the first found action is selected, unless the shown one was found, too.
let selectsFirst = false;

// Lists the actions with words, that changed a value, or at which a condition holds.
function filter(text) {
  const wanted = text.trim();
  selectsFirst = false;
  byId("searches").hidden = !isCondition(wanted);
  if (wanted === "" && view.off.size === 0) {
    const canceled = asking;
    asking = null;
    canceled?.abort();
    endProgress();
    if (view.filter) say("");
    byId("answer").hidden = true;
    showFilter(null);
    return list.show(rowCount(), indexOf(view.target));
  }
  const range = view.range ? { from: Math.max(log.first + 1, firstShown()), to: lastShown() } : {};
  let found = null, drawn = 0;
  const show = (revisions, count) => {
    if (found && view.filter !== found) return;
    const isFirst = found === null, before = found?.total ?? 0;
    found ??= {
      text: wanted, isCondition: isCondition(wanted),
      rows: new Chunks(async (offset, count) => (await get("actions", { revisions: found.revisions.slice(offset, offset + count) })).actions,
        () => list.draw()),
    };
    Object.assign(found, { revisions, count, total: revisions.length });
    if (found.total > before) found.rows.renew(before);
    showFilter(found);
    list.show(rowCount(), indexOf(view.target), isFirst);
  };
  // The results of the question before are no answer to this one.
  showFilterAge(wanted, true);
  ask({ kind: "filter", text: wanted, without: [...view.off], ...range }, "searching", ({ answer }, revisions) => {
    show(revisions, number(revisions.length) + " of " + plural(log.last - log.first, "action") + (answer.isCut ? ", and there are more" : ""));
    say(plural(revisions.length, "action") + " of " + number(log.last - log.first) + " found");
    if (selectsFirst && revisions.length && indexOf(view.target) < 0) go(revisions[0]);
  }, fail, (revisions) => {
    // Results are shown as they are found, but not each at once.
    if (revisions.length === (found?.total ?? 0) || performance.now() - drawn < 100) return;
    drawn = performance.now();
    show(revisions.slice(), number(revisions.length) + " so far");
  });
}

function showFilter(filter) {
  view.filter = filter;
  // The user may have typed another text since.
  showFilterAge(byId("filter").value.trim());
  showFound();
}

// Dims a list that is no answer to the text in the field, and takes its count away.
function showFilterAge(wanted, isAsked = false) {
  view.isOld = isAsked || wanted !== (view.filter?.text ?? "");
  list.host.classList.toggle("old", view.isOld);
  list.host.setAttribute("aria-busy", String(view.isOld));
  byId("count").textContent = !view.isOld ? view.filter?.count ?? "" : isAsked || !isCondition(wanted) ? "" : "Enter searches";
  drawTimeline();
}

// Puts the condition that the selected value is as it is now into the field.
async function useAsCondition() {
  const { pointer } = view;
  if (pointer === "") return say("select a value");
  if (isCutPath(pointer)) return say(cutText);
  const path = conditionPath(pointer), index = tree.indexOf(pointer), row = index >= 0 ? tree.rowAt(index).row : null;
  if (path === null) return say("a condition cannot name a path that contains '");
  keepSelection();
  let condition = "not " + path + " exists";
  if (row ? row.change !== "removed" : view.onlyChanged) {
    try {
      const value = row && isContainerRow(row) ? null : await send("GET", "value", { ...shownPlace(), path: pointer });
      condition = value === null ? "count(" + path + ") == " + row.count
        : /^[[{]/.test(value) ? "count(" + path + ") == " + sizeOf(parse(value)) : path + " == " + value;
    } catch (error) { return fail(error); }
  }
  if (condition.length > byId("filter").maxLength) return say("this value is too long for a condition");
  byId("filter").value = condition;
  byId("searches").hidden = false;
  pane("actions");
  say("B bisects this condition, u and U go to where it holds, M minimizes the actions that lead to it");
}

// A path as conditions have it; null if they cannot.
const conditionPath = (path) => !/[\s()=<>!"'&|]/.test(path) ? path : path.includes("'") ? null : "'" + path + "'";

const searchAgain = () => filter(byId("filter").value);
