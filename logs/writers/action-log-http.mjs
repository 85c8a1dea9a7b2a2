// Sends what a recorder of action-log.mjs writes to `action-log listen`, from Node or from a page. No dependencies; copy the file.

/**
 * Returns a `write` for `recorder` and `follow`. Each line is sent until it is answered, also by a server that was started again, and is
 * recorded once. At most `limit` lines wait; beyond that they are dropped, `note` is told how many, and the next action has its state.
 */
export function remote(url, secret, { limit = 10_000, note = console.warn } = {}) {
  // No `crypto`: a page that is not served over HTTPS, and older versions of Node, do not have it.
  const session = [Date.now(), Math.random(), Math.random()].join("-");
  let [waiting, sent, isBehind, isSending] = [[], 0, false, false];

  const drop = (reason) => {
    note(`${waiting.length} actions are dropped: ${reason}`);
    [waiting, sent, isBehind] = [[], sent + waiting.length, true];
  };

  /** Lines of together a megabyte, or one. */
  const batch = () => {
    let bytes = 0;
    const end = waiting.findIndex((line, index) => (bytes += 3 * line.length) > 1_000_000 && index > 0);
    return waiting.slice(0, end < 0 ? undefined : end);
  };

  async function post(lines) {
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": `${session}/${sent}` };
    const response = await fetch(url, { method: "POST", body: lines.join("\n"), headers });
    const text = await response.text();
    if (response.status === 413) return drop(text);
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    for (const { refused } of text.trim().split("\n").map(JSON.parse)) {
      if (refused) note(refused.message);
      isBehind ||= refused !== undefined;
    }
  }

  async function send() {
    isSending = true;
    for (let [pause, last] = [50, ""]; waiting.length > 0; ) {
      const [queue, lines] = [waiting, batch()];
      try {
        await post(lines);
        queue.splice(0, lines.length);
        [pause, last, sent] = [50, "", sent + lines.length];
      } catch (error) {
        if (String(error) !== last) note((last = String(error)));
        await new Promise((resolve) => setTimeout(resolve, (pause = Math.min(2 * pause, 5_000))));
      }
    }
    isSending = false;
  }

  return (line) => {
    if (waiting.length < limit) waiting.push(line);
    else drop("the server does not answer");
    if (!isSending) send();
    const wasBehind = isBehind;
    isBehind = false;
    return wasBehind ? "behind" : "taken";
  };
}
