// The tasks in JavaScript. Each is done once to warm up, on a part, before the clock starts.
import fs from 'node:fs';

const [task, log, countText, ...rest] = process.argv.slice(2);
const count = Number(countText);

// The lines of a log's actions, without those of its control records.
function lines(limit) {
  const found = [];
  for (const name of fs.readdirSync(log).filter(name => /^\d{16}\.jsonl$/.test(name)).sort()) {
    for (const line of fs.readFileSync(`${log}/${name}`, 'utf8').split('\n')) {
      if (line.length > 0 && !line.includes('"type":"@')) found.push(line);
      if (found.length === limit) return found;
    }
  }
  return found;
}

function report(hash, nanoseconds, metrics = {}) {
  const peakMebibytes = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ hash, nanoseconds, metrics: { peakMebibytes, ...metrics } }));
}

// Runs a piece of work that returns a hash, once to warm up and once with the clock.
function timed(warmUp, work) {
  warmUp();
  const begin = process.hrtime.bigint();
  const hash = work();
  report(hash, Number(process.hrtime.bigint() - begin));
}

function decode() {
  const input = lines(count);
  const work = () => {
    let sum = 0;
    for (const line of input) sum += JSON.parse(line).seq;
    return sum;
  };
  timed(work, work);
}

function encode() {
  const input = lines(count).map(line => JSON.parse(line));
  const work = () => {
    let length = 0;
    for (const record of input) length += JSON.stringify(record).length;
    return length;
  };
  timed(work, work);
}

// Objects to bytes in a file. Without a sync, one write for 5 000 lines.
function append() {
  const [path, sync] = rest;
  const input = lines(Math.min(count, 200_000)).map(line => JSON.parse(line));
  const batch = sync === 'none' ? 5_000 : Number(sync);
  const run = (name, total) => {
    const file = fs.openSync(name, 'ax');
    const times = [];
    let buffer = [];
    for (let index = 0; index < total; index += 1) {
      const begin = batch === 1 ? process.hrtime.bigint() : 0n;
      buffer.push(JSON.stringify(input[index % input.length]), '\n');
      if (buffer.length === 2 * batch || index === total - 1) {
        fs.writeSync(file, buffer.join(''));
        buffer = [];
        if (sync !== 'none') fs.fdatasyncSync(file);
      }
      if (batch === 1) times.push(Number(process.hrtime.bigint() - begin));
    }
    fs.closeSync(file);
    return times;
  };
  run(`${path}-warm`, Math.min(count, batch === 1 ? 50 : 20_000));
  fs.unlinkSync(`${path}-warm`);
  const begin = process.hrtime.bigint();
  const times = run(path, count);
  const nanoseconds = Number(process.hrtime.bigint() - begin);
  times.sort((left, right) => left - right);
  report(count, nanoseconds, batch === 1 ? { medianNanoseconds: times[times.length >> 1] } : {});
  fs.unlinkSync(path);
}

// What the reducer of the sample does, with maps that are changed in place.
function reduce(state, record) {
  const { type, data } = record;
  if (type.startsWith('ui.')) {
    if (type.endsWith('.onAppear')) return;
    const id = data.animalId ?? data.id;
    if (id !== undefined) state.queue.set(id, { waiting: {} });
    return;
  }
  const success = data.result.success;
  const id = data.animalId ?? data.id;
  if (type.endsWith('.didDeleteAnimal')) {
    if (success) state.animals.delete(success.animal.animalId);
  } else if (type.endsWith('.didAddAnimal') || type.endsWith('.didUpdateAnimal')) {
    if (success) state.animals.set(success.animal.animalId, success.animal);
  } else if (success) {
    if (type.endsWith('.didReloadSampleData')) state.animals = new Map();
    for (const animal of success.animals ?? []) state.animals.set(animal.animalId, animal);
  }
  if (id !== undefined) state.queue.set(id, success ? { success: {} } : data.result);
}

// From the file: reading, splitting, parsing, folding.
function replay() {
  const fold = limit => {
    const state = { animals: new Map(), queue: new Map() };
    let seen = 0;
    for (const name of fs.readdirSync(log).filter(name => /^\d{16}\.jsonl$/.test(name)).sort()) {
      const bytes = fs.readFileSync(`${log}/${name}`);
      let start = 0;
      while (start < bytes.length && seen < limit) {
        const end = bytes.indexOf(10, start);
        const record = JSON.parse(bytes.toString('utf8', start, end));
        start = end + 1;
        if (record.type[0] === '@') continue;
        reduce(state, record);
        seen += 1;
      }
    }
    return state.animals.size * 0x1000000 + state.queue.size;
  };
  timed(() => fold(Math.min(count, 50_000)), () => fold(count));
}

// A Redux reducer: each update spreads the table that it changes.
function redux() {
  const entities = Number(rest[0]);
  const animals = {};
  for (let index = 0; index < entities; index += 1) {
    const digits = index.toString(16).toUpperCase().padStart(12, '0');
    const animalId = `6F1D2C3B-7E5A-4D09-8C21-${digits}`;
    animals[animalId] = { animalId, name: `Animal ${index}`, diet: 'Omnivore', categoryId: 'Bird' };
  }
  const input = lines(count + 4);
  const fold = records => {
    let state = { animals, queue: {} };
    for (const line of records) {
      const { type, data } = JSON.parse(line);
      if (type === 'ui.animalEditor.onTapUpdateAnimalButton') {
        state = { ...state, queue: { ...state.queue, [data.animalId]: { waiting: {} } } };
      } else if (type === 'data.persistentSession.didUpdateAnimal') {
        const { animal } = data.result.success;
        state = {
          ...state, animals: { ...state.animals, [animal.animalId]: animal },
          queue: { ...state.queue, [data.animalId]: { success: {} } },
        };
      }
    }
    return Object.keys(state.animals).length * 0x1000000 + Object.keys(state.queue).length;
  };
  timed(() => fold(input.slice(0, 4)), () => fold(input.slice(0, count)));
}

const tasks = { decode, encode, append, replay, redux };
if (!(task in tasks)) {
  console.log(`node has no task '${task}'`);
  process.exit(69);
}
tasks[task]();
