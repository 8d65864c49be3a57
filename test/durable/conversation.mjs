// The load of one peer: as many conversations at once as asked for, each with its text compared. The bench forks a peer and
// sends {input, text, atOnce, total}; the answer is {seconds, cpuMs, deltas, firstMs, gapMs}, or {error}. The processor time
// includes the peer's servers.
import { readFileSync, readdirSync } from 'node:fs';

const TICK_MS = 10;

/** Six processors that pass everything, as the row run-cost of the bench has them. */
const six = ['a', 'a2', 'b', 'b2', 'c', 'c2'].map((name) => ({
  name,
  processInput: async (messages) => messages,
  processOutputStream: async (piece) => piece,
}));

export async function passInput(messages) {
  let passed = messages;
  for (const { processInput } of six) passed = await processInput(passed);
  return passed;
}

export async function passPiece(piece) {
  let passed = piece;
  for (const { processOutputStream } of six) passed = await processOutputStream(passed);
  return passed;
}

let calls = 0;
/** dev-model uses a script only for calls with a number, as the orchestrator sends them. */
export const numberedFetch = (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('X-Client-Request-Id', `durable-${calls++}.1`);
  return fetch(url, { ...init, headers });
};

/** Processor time of a process and of the processes below it, the ended ones included, ms. */
function readCpu(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = readStat(name);
    if (fields) parents.set(name, fields);
  }
  const sum = (one) => {
    const fields = parents.get(String(one));
    if (!fields) return 0;
    const own = [11, 12, 13, 14].reduce((total, at) => total + Number(fields[at]), 0) * TICK_MS;
    const below = [...parents].filter(([, other]) => other[1] === String(one)).map(([child]) => sum(child));
    return own + below.reduce((total, ms) => total + ms, 0);
  };
  return sum(pid);
}

/** The fields behind the name: state, parent, … */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

let count = 0;
async function converse(talk, { input, text }, seen) {
  const begun = performance.now();
  let last;
  let got = '';
  await talk(`thread-${count++}`, input, (piece) => {
    const now = performance.now();
    if (last === undefined) seen.firstMs.push(now - begun);
    else seen.gapMs.push(now - last);
    last = now;
    got += piece;
    seen.deltas += 1;
  });
  if (got !== text) throw new Error(`the peer gave ${got.length} characters instead of ${text.length}: ${got}`);
}

async function measure(talk, serverPid, asked) {
  const seen = { deltas: 0, firstMs: [], gapMs: [] };
  let left = asked.total;
  const worker = async () => {
    while (left-- > 0) await converse(talk, asked, seen);
  };
  const started = performance.now();
  const readServer = () => (serverPid === undefined ? 0 : readCpu(serverPid));
  const before = { own: process.cpuUsage(), server: readServer() };
  await Promise.all(Array.from({ length: asked.atOnce }, worker));
  const { user, system } = process.cpuUsage(before.own);
  const cpuMs = ((user + system) / 1_000 + readServer() - before.server) / asked.total;
  const seconds = (performance.now() - started) / 1_000;
  return { ...seen, seconds, cpuMs, deltas: seen.deltas / asked.total };
}

/**
 * @param talk makes one conversation: (thread, input, show) => Promise
 * @param server `pid` of the peer's server, and `stop`
 */
export function servePeer(talk, { pid, stop = () => undefined } = {}) {
  process.on('message', (asked) => {
    measure(talk, pid, asked).then(
      (figures) => process.send(figures),
      (error) => process.send({ error: String(error?.stack ?? error) }),
    );
  });
  process.on('disconnect', async () => {
    await stop();
    process.exit();
  });
  process.send('ready');
}
