async function begin() {
  try {
    // Without `at`, the page begins at the end, wherever that is by then.
    const { notices, at, tool, log: identifier, schema, part, ...rest } = await get("log");
    Object.assign(log, rest);
    const path = escaped(rest.path), name = path.replace(/\/+$/, "").replace(/^.*\//, "") || path;
    document.title = Object.assign(byId("title"), { textContent: name, title: path }).textContent;
    Object.assign(byId("about"), {
      textContent: [part, (rest.projection ? rest.projection + " of " : "") + rest.model].filter(Boolean).join(", "),
      title: "log " + identifier + ", schema " + schema + ", " + tool,
    });
    byId("notices").replaceChildren(...notices.map((text) => Object.assign(element("p", "notice", escaped(text)), { role: "note" })));
    list.host.style.setProperty("--digits", String(log.last).length * .62 + .2 + "em");
    byId("mark").hidden = !log.writes.includes("marks");
    byId("with-part").hidden = log.models.length === 0;
    byId("with").replaceChildren(...["", ...log.models].map((name) => new Option(name === "" ? "that of the recording" : escaped(name), name)));
    showMarks();
    const wish = new URLSearchParams(keptPosition().slice(1));
    const pointer = wish.get("path");
    if (pointer) {
      view.pointer = pointer;
      view.isChosen = true;
      for (let holder = pointer; holder !== ""; ) view.open.add(holder = parentOf(holder));
    }
    pane("actions");
    const wanted = /^\d+$/.test(wish.get("at") ?? "") ? Number(wish.get("at")) : wish.has("follow") ? log.last : at ?? log.last;
    view.seen = log.last;
    view.target = -1;
    log.isGone = false;
    const arrived = go(wanted, { isFollowing: wanted === log.last });
    loadTimeline();
    list.host.focus();
    await arrived;
    if (!offers.has("follow")) return;
    follow();
  } catch (error) { fail(error); }
}
begin();

// An interface for the console and for tests.
globalThis.actionLog = Object.freeze({
  work, send, run, go, select, link, command, revision: () => view.revision,
  isSettled: () => moving === null && asking === null && quiet === null && tree.root !== null && !whatIf.isLoading && !isReadingCauses,
});
