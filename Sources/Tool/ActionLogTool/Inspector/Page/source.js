// The source of the page of `inspect`: the service of the tool.
//
// What the source answers besides the state and the changes. The messages call the revisions a log.
const offers = new Set(["follow", "what-if", "files", "conditions", "marks", "causes"]), whole = "log";

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

const query = (parameters) => Object.entries(parameters)
  .filter(([, value]) => value !== undefined && value !== null)
  .map(([name, value]) => "?" + name + "=" + encodeURIComponent(value)).join("").replace(/(?!^)\?/g, "&");

// Sends a request, and returns the text of the answer.
async function send(method, path, parameters = {}, body = undefined) {
  work.requests++;
  const headers = { Authorization: "Bearer " + (sessionStorage.getItem(tokenName) ?? "") };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer, text;
  try {
    answer = await fetch("/api/" + path + query(parameters), {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
    });
    text = await answer.text();
  } catch { throw new Refusal(0, { code: "gone", message: "the server does not answer" }); }
  if (answer.ok) return text;
  let error = { code: "other", message: "the server answered with status " + answer.status };
  try { error = JSON.parse(text).error ?? error; } catch { /* not an answer of the service */ }
  throw new Refusal(answer.status, error);
}
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
