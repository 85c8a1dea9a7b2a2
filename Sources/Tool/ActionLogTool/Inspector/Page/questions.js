let asking = null;
// Asks a question, and cancels the one before it.
async function ask(body, label, take, failed = fail) {
  asking?.abort();
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

function blame(at = view.revision) {
  const { pointer } = view;
  ask({ kind: "blame", path: pointer, at }, "who changed it", ({ answer, command }) => {
    const { change } = answer;
    const text = change ? "" : "unchanged from the beginning to revision " + at;
    view.answer = { pointer, change, text, command };
    showValue();
    say(change ? "changed by action " + change.seq + ", " + escaped(change.type) + ", from " + (change.old ?? nothing) + " to "
      + (change.new ?? nothing) : text);
  });
}

function askHistory() {
  const { pointer } = view;
  if (pointer === "") return say("select a value: every action changes the state");
  const range = view.range ? { from: firstShown(), to: lastShown() } : {};
  ask({ kind: "history", path: pointer, ...range }, "history", ({ answer, command }, changes) => {
    view.answer = { pointer, changes, isNumeric: answer.isNumeric, isCut: answer.isCut, command };
    showValue();
    pane("details");
    say(plural(answer.count, "change") + " of the value");
  });
}

// Finds the actions that suffice to make the condition hold at this revision.
function minimise(condition) {
  const at = view.revision;
  ask({ kind: "minimise", condition, at }, "minimise", ({ answer, command }) => {
    const host = byId("answer"), revisions = element("p", "buttons");
    for (const revision of answer.revisions.slice(0, 100)) {
      const button = element("button", "", String(revision));
      button.type = "button";
      button.dataset.revision = revision;
      revisions.append(button);
    }
    const test = element("button", "", "Write a test of them");
    test.type = "button";
    test.addEventListener("click", () => writeTest({ from: log.first, to: at, minimise: condition }));
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
const writeTest = (range) => download({ kind: "test", ...range }, "writing a test");

async function forget(job) {
  try { await send("DELETE", "jobs/" + job); } catch { /* the server has forgotten it already */ }
}

function openReport() {
  const [from, to] = [Math.max(log.first + 1, firstShown()), lastShown()];
  for (const [id, value] of [["reporting-from", from], ["reporting-to", to]]) {
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
  if (kind === "minimise") return minimise(condition);
  const body = { kind, condition };
  if (view.range) [body.from, body.to] = [firstShown(), lastShown()];
  if (kind === "first") body.from = Math.max(firstShown(), view.revision + 1);
  if (kind === "last") body.to = Math.min(lastShown(), view.revision - 1);
  if ((body.from ?? log.first) > (body.to ?? log.last)) return say("there is no " + (kind === "last" ? "earlier" : "later") + " revision");
  ask(body, kind, ({ answer, command }) => {
    const host = byId("answer");
    if (host.hidden) {
      host.className = "answer";
      host.replaceChildren();
    }
    const where = { first: " after revision " + view.revision, last: " before revision " + view.revision, bisect: "" }[kind];
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
    return list.show(rowCount(), indexOf(view.revision));
  }
  let job = null;
  const range = view.range ? { from: Math.max(log.first + 1, firstShown()), to: lastShown() } : {};
  const types = view.off.size ? { types: log.types.map(({ type }) => type).filter((type) => !view.off.has(type)) } : {};
  ask({ kind: "filter", text: wanted, ...range, ...types }, "searching", (answer, revisions) => {
    if (!answer) return;
    job = answer.job;
    view.filter = {
      revisions, total: revisions.length,
      rows: new Chunks(async (offset, count) => (await get("actions", { job, offset, count })).actions, () => list.draw()),
    };
    const total = number(revisions.length) + " of " + plural(log.last - log.first, "action");
    byId("count").textContent = total + (answer.answer.isCut ? ", and there are more" : "");
    say(plural(revisions.length, "action") + " of " + number(log.last - log.first) + " found");
    list.show(rowCount(), indexOf(view.revision));
  });
}

const searchAgain = () => filter(byId("filter").value);

// The edited history next to the recording: the edits, the engine's answer, and the differences at the shown revision.
const whatIf = { edits: [], answer: null, command: "", branch: null, changes: [], total: 0, at: -1, isLoading: false, isOld: false, isAskedAgain: false };
const editsAt = (revision) => whatIf.edits.filter((edit) => edit.revision === revision);
const nameOf = ({ kind, revision, to = revision }) => ({
  skip: "without " + revision + (to > revision ? "…" + to : ""), replace: revision + " replaced", insert: "inserted after " + revision,
}[kind]);

// The edits in order, with neighboring actions that are left out as one edit.
function grouped(edits) {
  const groups = [];
  for (const edit of [...edits].sort((a, b) => a.revision - b.revision)) {
    const before = groups.at(-1);
    if (edit.kind === "skip" && before?.kind === "skip" && before.to === edit.revision - 1) before.to = edit.revision;
    else groups.push({ ...edit, to: edit.revision });
  }
  return groups;
}

// Leaves out a range of actions.
const skipLimit = 1000;
function skipRange([from, to]) {
  const first = Math.max(log.first + 1, from);
  if (to - first >= skipLimit) return say("at most " + number(skipLimit) + " actions can be left out");
  const others = whatIf.edits.filter(({ kind, revision }) => revision < first || revision > to || kind === "insert");
  askWhatIf([...others, ...Array.from({ length: to - first + 1 }, (_, index) => ({ kind: "skip", revision: first + index }))]);
}

// The action of the shown revision happens in the branch, or does not.
function toggleSkip() {
  const revision = view.target;
  if (revision === log.first) return say("there is no action at revision " + revision);
  const others = whatIf.edits.filter((edit) => edit.revision !== revision || edit.kind === "insert");
  const isSkipped = editsAt(revision).some((edit) => edit.kind === "skip");
  askWhatIf(isSkipped ? others : [...others, { kind: "skip", revision }]);
}

function openEdit(kind) {
  const revision = view.target, { action } = view;
  if (kind === "replace" && !action) return say("there is no action at revision " + revision);
  const known = editsAt(revision).find((edit) => edit.kind === kind);
  byId("editing-title").textContent = kind === "replace" ? "Replace action " + revision : "Insert an action after revision " + revision;
  byId("editing-text").value = known ? known.text : action?.has("data") ? action.get("type") + " " + json(action.get("data")) : "";
  byId("editing-error").hidden = true;
  byId("editing").showModal();
  byId("editing-text").focus();
  byId("editing-form").onsubmit = (event) => {
    event.preventDefault();
    const text = byId("editing-text").value.trim();
    const others = whatIf.edits.filter((edit) => edit.revision !== revision || (edit.kind === "insert") !== (kind === "insert"));
    askWhatIf([...others, { kind, revision, text }], (error) => {
      byId("editing-error").textContent = escaped(error.message);
      byId("editing-error").hidden = false;
      say("the edit is refused");
    });
  };
}

// Asks for the history with other edits. They are kept if the engine accepts them.
function askWhatIf(edits, failed = fail) {
  if (edits.length === 0) return endWhatIf();
  const parts = grouped(edits).map(({ kind, revision, to, text }) =>
    kind === "skip" ? { skip: [revision, to] } : { [kind]: revision, action: text });
  return ask({ kind: "what-if", edits: parts }, "what if", ({ answer, command }) => {
    if (whatIf.branch) forget(whatIf.branch);
    byId("editing").close();
    Object.assign(whatIf, { edits, answer, command, branch: answer.branch, at: -1 });
    say("what if: " + divergence(answer) + (answer.refused ? ", " + plural(answer.refused, "action") + " refused" : ""));
    showBranch();
    loadBranch();
  }, failed);
}

const divergence = (answer) => answer.firstDivergence === null ? "no state differs" : "the states differ from revision " + answer.firstDivergence;

function endWhatIf() {
  if (whatIf.branch) forget(whatIf.branch);
  Object.assign(whatIf, { edits: [], answer: null, command: "", branch: null, changes: [], total: 0, at: -1 });
  branchTree.root = null;
  branchTree.rows.show(0, -1);
  say("the what-if has ended");
  showBranch();
}

// Reads the state of the branch at the shown revision, and its differences from the recorded one.
async function loadBranch() {
  if (!whatIf.branch) return;
  whatIf.isOld = true;
  if (whatIf.isLoading) return;
  whatIf.isLoading = true;
  try {
    while (whatIf.isOld && whatIf.branch) {
      whatIf.isOld = false;
      const place = { at: view.revision, branch: whatIf.branch }, parameters = { view: viewName, ...place };
      const [differences, root] = await near(
        () => Promise.all([get("changes", { ...parameters, count: 200 }), branchTree.read("", parameters)]), undefined, () => place);
      if (place.branch !== whatIf.branch || place.at !== view.revision) continue;
      Object.assign(whatIf, { changes: differences.changes, total: differences.total, at: place.at, isAskedAgain: false });
      branchTree.root = root;
      showBranch();
      branchTree.show(true);
    }
  } catch (error) {
    if (!whatIf.branch || !["noJob", "noBranch"].includes(error.code) || whatIf.isAskedAgain) return fail(error);
    // The server keeps few branches, and none of actions that were rolled back.
    Object.assign(whatIf, { branch: null, isAskedAgain: true });
    askWhatIf(whatIf.edits);
  } finally { whatIf.isLoading = false; }
}

function showBranch() {
  const isShown = branchTree.root !== null;
  byId("branch-part").hidden = byId("recorded-title").hidden = !isShown;
  byId("end-what-if").hidden = whatIf.edits.length === 0;
  list.draw();
  drawTimeline();
  showWhatIf();
}

function showWhatIf() {
  const host = byId("what-if"), { answer, edits } = whatIf;
  const isSkipped = editsAt(view.revision).some((edit) => edit.kind === "skip");
  byId("skip").setAttribute("aria-pressed", String(isSkipped));
  byId("skip").disabled = byId("replace").disabled = view.revision === log.first;
  if (!answer) {
    host.replaceChildren(element("p", "remark", "Leave out, replace or insert actions to see the state that they would lead to. Nothing is written."));
    return;
  }
  const chips = element("p", "buttons");
  for (const edit of grouped(edits)) {
    const chip = element("button", "edit", nameOf(edit) + " ×");
    chip.type = "button";
    chip.addEventListener("click", () => askWhatIf(edits.filter(({ kind, revision }) =>
      kind !== edit.kind || revision < edit.revision || revision > edit.to)));
    chip.title = edit.text ? escaped(edit.text) : "";
    chip.setAttribute("aria-label", nameOf(edit) + ": remove this edit");
    chips.append(chip);
  }
  const summary = element("p", "", plural(answer.actions, "action") + " instead of " + number(answer.revision) + "; " + divergence(answer) + " ");
  if (answer.firstDivergence !== null) summary.append(goButton(answer.firstDivergence));
  host.replaceChildren(chips, summary);
  if (answer.refused) {
    const refusals = element("ul");
    for (const refusal of answer.refusals.slice(0, 20)) {
      const item = element("li");
      item.append(goButton(refusal.revision, String(refusal.revision)), " ", element("strong", "", escaped(refusal.type)), " " + escaped(refusal.error));
      refusals.append(item);
    }
    host.append(element("p", "", plural(answer.refused, "action") + " refused and skipped" + (answer.refused > 20 ? "; the first 20:" : ":")), refusals);
  }
  if (whatIf.at >= 0) host.append(divergenceTable());
  host.append(commandLine(whatIf.command));
}

function goButton(revision, text = "Go to " + revision) {
  const button = element("button", "", text);
  button.type = "button";
  button.dataset.revision = revision;
  return button;
}

// The differences at the shown revision, the recorded value next to that of the branch.
function divergenceTable() {
  const table = element("table");
  table.id = "divergence";
  table.createCaption().textContent = "At revision " + whatIf.at + ": " + (whatIf.total ? plural(whatIf.total, "difference") : "no difference");
  if (whatIf.total === 0) return table;
  const head = table.createTHead().insertRow();
  for (const name of ["Path", "Recorded", "What if"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const { path, old, new: after } of whatIf.changes) {
    const row = body.insertRow(), button = element("button", "path", path === "" ? "the whole state" : escaped(path));
    button.type = "button";
    button.dataset.pointer = path;
    row.insertCell().append(button);
    row.insertCell().append(element("span", "values", old ?? nothing));
    row.insertCell().append(element("span", "values", after ?? nothing));
  }
  if (whatIf.total > whatIf.changes.length) {
    const cell = body.insertRow().insertCell();
    cell.colSpan = 3;
    cell.textContent = "… and " + plural(whatIf.total - whatIf.changes.length, "more difference");
  }
  return table;
}
