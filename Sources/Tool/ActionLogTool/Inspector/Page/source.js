// Counts the work for tests.
const work = { rowsMade: 0, requests: 0 };

// The token is in the fragment of the printed address. It is removed from there, so that a copied address does not have it.
const tokenName = "action-log-token";
function takeToken(text) {
  const found = /(?:^|[#&])t=([A-Za-z0-9_-]+)/.exec(text);
  if (found) sessionStorage.setItem(tokenName, found[1]);
  return found !== null;
}
if (takeToken(location.hash)) {
  const rest = location.hash.slice(1).split("&").filter((part) => !part.startsWith("t=")).join("&");
  history.replaceState(null, "", location.pathname + (rest ? "#" + rest : ""));
}

class Refusal extends Error {
  constructor(status, { code, message, advice, excerpt }) {
    super(advice ? message + ". " + advice : message);
    Object.assign(this, { status, code, excerpt });
  }
}

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const query = (parameters) => Object.entries(parameters)
  .filter(([, value]) => value !== undefined && value !== null)
  .map(([name, value]) => "?" + name + "=" + encodeURIComponent(value)).join("").replace(/(?!^)\?/g, "&");

// Sends a request, and returns the text of the answer.
async function send(method, path, parameters = {}, body = undefined, keepalive = false) {
  work.requests++;
  const headers = { Authorization: "Bearer " + (sessionStorage.getItem(tokenName) ?? "") };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer, text;
  try {
    answer = await fetch("/api/" + path + query(parameters), {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store", keepalive,
    });
    text = await answer.text();
  } catch { throw new Refusal(0, { code: "gone", message: "the server does not answer" }); }
  if (answer.ok) return text;
  let error = { code: "other", message: "the server answered with status " + answer.status };
  try { error = JSON.parse(text).error ?? error; } catch { /* not an answer of the service */ }
  throw new Refusal(answer.status, error);
}
const get = async (path, parameters) => JSON.parse(await send("GET", path, parameters));

// The name of this tab's view on the server.
const viewName = Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => (byte % 36).toString(36)).join("");

// Asks a long question. `progress` gets the job while it runs; aborting the signal cancels it.
async function run(body, { signal, progress = () => {} } = {}) {
  let job;
  for (let wait = 100; job === undefined; wait = Math.min(wait * 2, 2000)) {
    signal?.throwIfAborted();
    try { ({ job } = JSON.parse(await send("POST", "jobs", {}, body))); } catch (error) {
      // Other tabs have asked as much as the server answers at a time.
      if (error.status !== 429) throw error;
      await pause(wait);
    }
  }
  const results = [];
  for (let wait = 20; ; wait = Math.min(wait * 2, 80)) {
    if (signal?.aborted) {
      forget(job);
      signal.throwIfAborted();
    }
    const found = await get("jobs/" + job, { after: results.length });
    // A question that another one has replaced meanwhile shows nothing more.
    if (signal?.aborted) continue;
    results.push(...found.results);
    if (found.status === "failed") throw new Refusal(500, found.error);
    if (found.status === "cancelled") throw new DOMException("canceled", "AbortError");
    // Results come in pages.
    if (found.status === "done" && found.results.length === 0) return { ...found, job, results };
    progress({ ...found, job, results });
    if (found.results.length === 0) await pause(wait);
  }
}

// The server need not keep a job.
async function forget(job) {
  try { await send("DELETE", "jobs/" + job); } catch { /* it has forgotten the job already */ }
}

// Rows that are read in chunks when they are drawn. `load` takes an offset and a count, and returns an array; `arrived` is called
// when rows are there.
const chunkLength = 200;
class Chunks {
  constructor(load, arrived) {
    this.load = load;
    this.arrived = arrived;
    this.chunks = new Map();
    this.waiting = 0;
  }

  at(index) {
    const number = Math.floor(index / chunkLength);
    const chunk = this.chunks.get(number);
    if (!chunk || chunk.isOld) this.fetch(number, chunk?.rows);
    return chunk?.rows?.[index - number * chunkLength];
  }

  // The old rows are shown until the new ones are there. Of a list that is dragged, what is still visible is read then.
  async fetch(number, rows = null) {
    if (this.waiting >= 2) return;
    this.waiting++;
    const chunk = { rows, isOld: false, isLoading: true };
    this.keep(number, chunk);
    try {
      chunk.rows = await this.load(number * chunkLength, chunkLength);
      chunk.isLoading = false;
      this.waiting--;
      this.arrived();
    } catch (error) {
      this.waiting--;
      this.chunks.delete(number);
      fail(error);
    }
  }

  // Enough for some screens. The oldest chunk is read again when it is needed.
  keep(number, chunk) {
    this.chunks.set(number, chunk);
    if (this.chunks.size > 50) this.chunks.delete(this.chunks.keys().next().value);
  }

  // Takes rows that the server has sent unasked, next to rows that are there. A chunk that is being loaded may lack them, and is read
  // again.
  add(index, rows) {
    for (const row of rows) {
      const number = Math.floor(index / chunkLength), chunk = this.chunks.get(number);
      if (index % chunkLength === 0 && !chunk) this.keep(number, { rows: [row], isOld: false });
      else if (chunk && !chunk.isLoading && chunk.rows?.length === index % chunkLength) chunk.rows.push(row);
      else if (chunk && (chunk.isLoading || !(chunk.rows?.length > index % chunkLength))) chunk.isOld = true;
      index++;
    }
  }

  // Reads rows from an index again, which may be different now.
  renew(from) {
    for (const [number, chunk] of this.chunks) if ((number + 1) * chunkLength > from) chunk.isOld = true;
  }
}
