let asking = null;
// Asks a question, and cancels the one before it.
async function ask(body, label, take) {
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
    if (error.name === "AbortError") { if (asking === controller) say("canceled"); } else fail(error);
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
    view.answer = { pointer, changes, isCut: answer.isCut, command };
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

// Writes a test that folds actions again, and downloads it.
function writeTest(range) {
  ask({ kind: "test", ...range }, "writing a test", async ({ answer, command, job }) => {
    try {
      const text = await send("GET", "jobs/" + job + "/file"), link = element("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = answer.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      const host = byId("answer");
      host.className = "answer";
      host.replaceChildren(element("span", "", answer.name + ": " + number(answer.actions) + " of " + plural(answer.of, "action")), commandLine(command));
      host.hidden = false;
    } catch (error) { fail(error); }
  });
}

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

function showStatus() {
  const host = byId("status"), waiting = log.last - Math.max(view.seen, view.isFollowing ? log.last : 0);
  const text = log.damage ? escaped(log.damage) : log.isGone ? "the server has ended: start action-log inspect again"
    : (log.isClosed ? "closed " : "live ") + number(log.last) + (waiting > 0 ? " (+" + number(waiting) + ")" : "");
  host.className = log.damage || log.isGone ? "wrong" : log.isClosed ? "" : "live";
  if (host.textContent !== text) host.textContent = text;
}

function showMarks() {
  byId("marks").replaceChildren(...log.marks.map((mark) => {
    const button = element("button", "mark", "⚑ " + escaped(mark.name));
    button.type = "button";
    button.title = "revision " + mark.seq + (mark.remark ? ": " + escaped(mark.remark) : "");
    button.dataset.revision = mark.seq;
    return button;
  }));
  byId("marks").hidden = log.marks.length === 0;
}

async function readMarks() {
  const { marks, marksVersion, types } = await get("log");
  Object.assign(log, { marks, marksVersion, types });
  showMarks();
  if (view.root) showAction();
}

async function changeMark(method, path, body) {
  try {
    await send(method, path, {}, body);
    await readMarks();
    list.draw();
    drawTimeline();
    say(method === "PUT" ? "marked revision " + body.revision : "the mark is removed");
  } catch (error) { fail(error); }
}

function mark() {
  if (!log.writes.includes("marks")) {
    return say("inspect was started without --allow-marks: action-log mark " + escaped(log.path) + " " + view.revision + " NAME");
  }
  byId("marking-title").textContent = "Mark revision " + view.revision;
  byId("marking").showModal();
  byId("mark-name").focus();
}
byId("marking-form").addEventListener("submit", () => {
  const name = byId("mark-name").value, remark = byId("mark-remark").value;
  byId("mark-name").value = byId("mark-remark").value = "";
  changeMark("PUT", "marks", { name, revision: view.revision, ...(remark ? { remark } : {}) });
});
byId("mark-cancel").addEventListener("click", () => byId("marking").close());

// The page moves at most ten times a second.
const movePause = 100;
async function follow() {
  for (;;) {
    if (document.hidden) await new Promise((done) => { document.addEventListener("visibilitychange", done, { once: true }); });
    if (document.hidden) continue;
    try {
      const news = await get("follow", { after: log.last, marks: log.marksVersion, wait: log.indexed < log.last ? 1 : 20 });
      log.isGone = false;
      await take(news);
    } catch (error) {
      if (error.status === 401) return enter();
      log.isGone = true;
      showStatus();
      await pause(1000);
    }
    await pause(movePause);
  }
}

async function take(news) {
  const { last, indexed } = log;
  Object.assign(log, { last: news.last, indexed: news.indexed, durable: news.durable, isClosed: news.isClosed, damage: news.damage ?? null });
  if (news.last !== last) {
    actions.renew(Math.min(last, news.last) - log.first - 1);
    if (view.base !== null && view.base > news.last) view.base = null;
    list.show(rowCount(), indexOf(view.revision), false);
  }
  if (news.marksVersion !== log.marksVersion || news.indexed !== indexed) {
    await readMarks();
  }
  if (news.indexed !== indexed) await loadTimeline();
  if (view.isFollowing && !moving && log.last !== view.revision || view.revision > log.last) go(log.last, { isFollowing: view.isFollowing });
  else {
    list.draw();
    showTravel();
  }
}
