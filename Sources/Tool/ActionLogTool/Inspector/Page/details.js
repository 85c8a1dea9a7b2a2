function showDifferences() {
  byId("differences-title").textContent = view.base !== null ? "From revision " + view.base + " to " + view.revision
    : view.revision === log.first ? "What changed" : "What action " + view.revision + " changed";
  const items = view.changes.map(({ change, path, old, new: after }) => {
    const item = element("li", change);
    const button = element("button", "path", path === "" ? "the whole state" : escaped(path));
    button.type = "button";
    button.dataset.pointer = path;
    const sign = element("span", "sign", { added: "+", removed: "−", changed: "~" }[change]);
    sign.setAttribute("aria-label", change);
    sign.setAttribute("role", "img");
    const values = element("div", "values");
    if (old !== undefined) values.append(element("del", "", old));
    if (after !== undefined) values.append(element("ins", "", after));
    item.append(sign, button, values);
    return item;
  });
  if (view.total > view.changes.length) {
    items.push(element("li", "remark", "… and " + plural(view.total - view.changes.length, "more difference")));
  }
  if (view.total === 0) {
    items.push(element("li", "remark", view.revision === log.first && view.base === null ? "The first state of the log." : "Nothing."));
  }
  byId("differences").replaceChildren(...items);
}

function showAction() {
  const { action } = view, host = byId("action");
  host.replaceChildren();
  for (const mark of marksAt(view.revision)) {
    fact(host, "mark", escaped(mark.name + (mark.remark ? ": " + mark.remark : "")) + " ");
    if (!log.writes.includes("marks")) continue;
    const button = element("button", "", "Remove");
    button.type = "button";
    button.addEventListener("click", () => changeMark("DELETE", "marks/" + encodeURIComponent(mark.name)));
    host.lastChild.append(button);
  }
  byId("copy-action").hidden = !action || !action.has("data");
  byId("action-title").textContent = action ? escaped(action.get("type")) : view.revision === 0 ? "The start" : "Revision " + log.first;
  if (!action) return;
  const meta = action.get("meta"), data = action.get("data");
  fact(host, "when", timeOf(action.get("time")) + " UTC");
  fact(host, "who", meta instanceof Map && typeof meta.get("actor") === "string" ? escaped(meta.get("actor")) : "not recorded");
  if (action.get("cut")) fact(host, "data", "too long for this page: action-log show " + log.path + " " + view.revision);
  for (const [name, value] of [["", data], ["meta ", meta]]) {
    if (!(value instanceof Map)) continue;
    for (const [member, content] of value) {
      if (name !== "" && member === "actor") continue;
      fact(host, escaped(name + member), line(content, 2000));
    }
  }
  for (const form of action.get("readAs") ?? []) fact(host, "read as", escaped(form.get("type")) + " " + line(form.get("data"), 400));
  fact(host, "durable", action.get("durable") || view.revision <= log.durable ? "yes" : "not yet");
  fact(host, "place", escaped(action.get("file")) + ":" + action.get("line").text);
}

function showValue() {
  byId("pointer").textContent = view.pointer === "" ? "the whole state" : escaped(view.pointer);
  const index = indexOfPointer(view.pointer), row = index >= 0 ? rowAt(index).row : null;
  byId("value").textContent = !row || row.change === "removed" ? "nothing at this revision"
    : isContainerRow(row) ? plural(row.count, row.kind === "object" ? "member" : "element") : row.text;
  byId("copy-value").disabled = !row || row.change === "removed";
  const host = byId("blame"), { answer } = view;
  host.replaceChildren();
  if (!answer || answer.pointer !== view.pointer) return;
  if (answer.text) host.append(element("p", "remark", answer.text));
  if (answer.change) showChange(host, answer.change);
  if (answer.changes) showHistory(host, answer);
  if (answer.command) host.append(commandLine(answer.command));
}

function showChange(host, change) {
  const values = element("p", "values");
  values.append(element("del", "", change.old ?? nothing), element("ins", "", change.new ?? nothing));
  const by = element("p", "");
  by.append(element("strong", "", "action " + change.seq + " "), escaped(change.type));
  by.append(element("span", "remark", " " + timeOf(change.time) + (change.actor ? " by " + escaped(change.actor) : "")));
  const buttons = element("p", "buttons");
  for (const [name, label] of [["go", "Go to " + change.seq], ["earlier", "The previous change"]]) {
    const button = element("button", "", label);
    button.type = "button";
    button.dataset.blame = name;
    buttons.append(button);
  }
  host.append(values, by, buttons);
}

function showHistory(host, { changes, isCut }) {
  const items = element("ol");
  items.id = "changes-of-value";
  items.tabIndex = 0;
  for (const change of changes.slice(-500)) {
    const item = element("li"), button = element("button", "path", String(change.seq));
    button.type = "button";
    button.dataset.revision = change.seq;
    button.title = escaped(change.type) + ", " + timeOf(change.time);
    const values = element("span", "values");
    values.append(" ", element("del", "", change.old ?? nothing), element("ins", "", change.new ?? nothing));
    item.append(button, values);
    items.append(item);
  }
  const total = plural(changes.length, "change") + (isCut ? ", and there are more" : "")
    + (changes.length > 500 ? "; the last 500:" : "");
  host.append(element("p", "remark", total), items);
}

function commandLine(text) {
  const row = element("p", "command", "$ " + escaped(text) + " ");
  row.append(copyButton(text));
  return row;
}

function copyButton(text) {
  const button = element("button", "", "Copy");
  button.type = "button";
  button.addEventListener("click", () => copy(text, "the command"));
  return button;
}

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    say("copied " + name);
  } catch { say("the browser does not allow this page to copy"); }
}
