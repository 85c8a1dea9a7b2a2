// What the two sources share. `source.js` asks the service, `offline.js` reads the data in the file. Each has `send`, `run` and
// `forget`, and says in `offers` which questions it answers.

// Counts the work for tests.
const work = { rowsMade: 0, requests: 0, linesRead: 0, changesApplied: 0 };

class Refusal extends Error {
  constructor(status, { code, message, advice, excerpt }) {
    super(advice ? message + ". " + advice : message);
    Object.assign(this, { status, code, excerpt });
  }
}

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const get = async (path, parameters) => JSON.parse(await send("GET", path, parameters));

// The name of this tab's view on the server.
const viewName = Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => (byte % 36).toString(36)).join("");

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
    if (!chunk || chunk.isOld) this.read(number, chunk?.rows);
    return chunk?.rows?.[index - number * chunkLength];
  }

  // The old rows are shown until the new ones are there. Of a list that is dragged, what is still visible is read then.
  async read(number, rows = null) {
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
