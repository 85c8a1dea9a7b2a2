// The edited history next to the recording: the edits, the model that folds it, unless it is that of the recording, the engine's
// answer, and the differences at the shown revision.
const whatIf = {
  edits: [], model: "", answer: null, command: "", branch: null, changes: [], total: 0, at: -1,
  // reading: the last request for the branch; isUnseen: whether the answer has not been scrolled to.
  reading: Promise.resolve(), moving: null, isLoading: false, isOld: false, isAskedAgain: false, isUnseen: false,
};
const editsAt = (revision) => whatIf.edits.filter((edit) => edit.revision === revision);
const nameOf = ({ kind, revision, to = revision, target }) => ({
  skip: "without " + revision + (to > revision ? "…" + to : ""), replace: revision + " replaced", insert: "inserted after " + revision,
  move: revision + " moved after " + target,
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

const editTitles = {
  replace: (revision) => "Replace action " + revision, insert: (revision) => "Insert an action after revision " + revision,
  move: (revision) => "Move action " + revision,
};

// Opens the dialog for an edit at the shown revision. During a move it opens at the end, because the action is read by then.
async function openEdit(kind) {
  if (moving) await arrival;
  if (tree.root === null || byId("editing").open) return;
  const { revision, action } = view, isMove = kind === "move";
  if (kind !== "insert" && !action) return say("there is no action at revision " + revision);
  const known = editsAt(revision).find((edit) => edit.kind === kind);
  byId("editing-title").textContent = editTitles[kind](revision);
  byId("editing-text").value = known?.text ?? (action?.has("data") ? action.get("type") + " " + json(action.get("data")) : "");
  byId("editing-target").value = known?.target ?? "";
  byId("editing-action").hidden = isMove;
  byId("editing-place").hidden = !isMove;
  byId("editing-error").hidden = true;
  byId("editing").showModal();
  byId(isMove ? "editing-target" : "editing-text").focus();
  byId("editing-form").onsubmit = (event) => {
    event.preventDefault();
    const refuse = (message) => {
      byId("editing-error").textContent = escaped(message);
      byId("editing-error").hidden = false;
      say("the edit is refused");
    };
    const text = byId("editing-text").value.trim(), place = byId("editing-target").value, target = Number(place);
    if (isMove && (place === "" || !Number.isInteger(target))) return refuse("type the revision after which the action happens");
    const others = whatIf.edits.filter((edit) => edit.revision !== revision || (edit.kind === "insert") !== (kind === "insert"));
    askWhatIf([...others, isMove ? { kind, revision, target } : { kind, revision, text }], { failed: (error) => refuse(error.message) });
  };
}

// Folds the changed history with another model, or with that of the recording again.
async function chooseModel(model) {
  await askWhatIf(whatIf.edits, { model });
  // The choice is that of the answer, also if the question failed or was canceled.
  showWhatIf();
}

// An edit as the option of the command.
const partOf = ({ kind, revision, to, target, text }) =>
  kind + " " + revision + (kind !== "skip" ? "=" + (target ?? text) : to > revision ? "-" + to : "");

// Asks for the history with other edits or another model. They are kept if the engine accepts them.
function askWhatIf(edits, { model = whatIf.model, failed = fail } = {}) {
  if (edits.length === 0 && model === "") return endWhatIf();
  const body = { kind: "what-if", edits: grouped(edits).map(partOf), ...(model ? { with: model } : {}) };
  return ask(body, "what if", ({ answer, command }) => {
    forgetBranch();
    byId("editing").close();
    Object.assign(whatIf, { edits, model, answer, command, branch: answer.branch, at: -1, isUnseen: true });
    say("what if: " + divergence(answer) + (answer.refused ? ", " + plural(answer.refused, "action") + " refused" : ""));
    showBranch();
    loadBranch();
  }, failed);
}

const divergence = (answer) => answer.firstDivergence === null ? "no state differs" : "the states differ from revision " + answer.firstDivergence;

function endWhatIf() {
  forgetBranch();
  Object.assign(whatIf, { edits: [], model: "", answer: null, command: "", branch: null, changes: [], total: 0, at: -1 });
  branchTree.root = null;
  branchTree.rows.show(0, -1);
  say("the what-if has ended");
  showBranch();
}

// Reads the state of the branch at the shown revision, and its differences from the recorded one. A move cancels the reading before it.
async function loadBranch() {
  whatIf.isOld = true;
  whatIf.moving?.abort();
  if (whatIf.isLoading) return;
  whatIf.isLoading = true;
  while (whatIf.isOld && whatIf.branch) {
    whatIf.isOld = false;
    await (whatIf.reading = readBranch(whatIf.branch));
  }
  whatIf.isLoading = false;
}

async function readBranch(branch) {
  const at = view.revision;
  whatIf.moving = new AbortController();
  try {
    const { changes, pages } = await near({ at, branch, ...openPaths(false) }, whatIf.moving.signal);
    if (branch !== whatIf.branch || at !== view.revision) return;
    Object.assign(whatIf, { ...changes, at, isAskedAgain: false });
    const isFirst = branchTree.root === null;
    branchTree.root = containerOf(pages);
    showBranch();
    branchTree.show(true);
    // The recorded state has less room now.
    if (isFirst) tree.show(true);
    if (whatIf.isUnseen) byId("what-if").scrollIntoView({ block: "nearest" });
    whatIf.isUnseen = false;
  } catch (error) {
    // The what-if has ended, or has another branch, or the page moved on.
    if (branch !== whatIf.branch || error.name === "AbortError") return;
    if (!["noJob", "noBranch"].includes(error.code) || whatIf.isAskedAgain) return fail(error);
    // The server keeps few branches, and none of actions that were rolled back.
    Object.assign(whatIf, { branch: null, isAskedAgain: true });
    askWhatIf(whatIf.edits);
  }
}

// The server need not keep the branch after the last request for it.
function forgetBranch() {
  const { branch } = whatIf;
  if (branch) whatIf.reading.then(() => forget(branch));
}

function showBranch() {
  const isShown = branchTree.root !== null;
  byId("branch-part").hidden = byId("recorded-title").hidden = !isShown;
  byId("end-what-if").hidden = whatIf.answer === null;
  list.draw();
  drawTimeline();
  showWhatIf();
  suggestExpectation();
}

function showWhatIf() {
  const host = byId("what-if"), { answer, edits } = whatIf;
  const isSkipped = editsAt(view.revision).some((edit) => edit.kind === "skip");
  byId("skip").setAttribute("aria-pressed", String(isSkipped));
  byId("insert").disabled = false;
  byId("skip").disabled = byId("replace").disabled = byId("move").disabled = view.revision === log.first;
  byId("with").value = whatIf.model;
  if (!answer) {
    host.replaceChildren(element("p", "remark", "Leave out, replace, move or insert actions, or choose another model, to see the state that they would lead to. Nothing is written."));
    return;
  }
  const chips = element("p", "buttons");
  for (const edit of grouped(edits)) {
    chips.append(buttonOf("edit", nameOf(edit) + " ×", {
      title: edit.text ? escaped(edit.text) : "", ariaLabel: nameOf(edit) + ": remove this edit",
      click: () => askWhatIf(edits.filter(({ kind, revision }) => kind !== edit.kind || revision < edit.revision || revision > edit.to)),
    }));
  }
  if (whatIf.model) {
    const text = "folded by " + escaped(whatIf.model);
    chips.append(buttonOf("edit", text + " ×", { ariaLabel: text + ": use the model of the recording", click: () => chooseModel("") }));
  }
  const summary = element("p", "", (answer.actions === answer.revision ? "" : plural(answer.actions, "action") + " instead of " + number(answer.revision) + "; ") + divergence(answer) + " ");
  if (answer.firstDivergence !== null) summary.append(goButton(answer.firstDivergence, "Go to " + answer.firstDivergence));
  host.replaceChildren(chips, summary);
  if (answer.refused) {
    const refusals = element("ul", "", ...answer.refusals.slice(0, 20).map(({ revision, type, error }) =>
      element("li", "", goButton(revision), " ", element("strong", "", escaped(type)), " " + escaped(error))));
    host.append(element("p", "", plural(answer.refused, "action") + " refused and skipped" + (answer.refused > 20 ? "; the first 20:" : ":")), refusals);
  }
  if (whatIf.at >= 0) host.append(divergenceTable());
  host.append(commandLine(whatIf.command));
}

// The differences at the shown revision, the recorded value next to that of the branch.
function divergenceTable() {
  const table = element("table");
  table.id = "divergence";
  table.createCaption().textContent = "At revision " + whatIf.at + ": " + (whatIf.total ? plural(whatIf.total, "difference") : "no difference");
  if (whatIf.total === 0) return table;
  table.createTHead().insertRow().append(...["Path", "Recorded", "What if"].map((name) => Object.assign(element("th", "", name), { scope: "col" })));
  const body = table.createTBody();
  for (const { path, old, new: after } of whatIf.changes) {
    const cells = [pathButton(path), ...[old, after].map((text) => element("span", "values", text ?? nothing))];
    body.append(element("tr", "", ...cells.map((cell) => element("td", "", cell))));
  }
  if (whatIf.total > whatIf.changes.length) {
    const cell = body.insertRow().insertCell();
    cell.colSpan = 3;
    cell.textContent = "… and " + plural(whatIf.total - whatIf.changes.length, "more difference");
  }
  return table;
}
