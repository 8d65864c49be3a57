// Setup file of every test file: fails the file that leaves a socket, a server, a timer, a child process or a changed environment behind.
// Its hooks are the first to be registered, so the check runs after all other afterAll hooks.
import { afterAll, beforeAll, vi } from 'vitest';
import { changedState, globalState } from './global-state.ts';
import { leftOverAfter, openThings, type OpenThings } from './open-things.ts';

/** Long enough for closing sockets, too short for forgotten timers. */
const GRACE_MS = 2_000;
/** On a busy machine a socket closes and a process ends later. */
const BUSY_GRACE_MS = 10_000;
declare global {
  /** Files share a process: leftovers of one are not reported for later ones. */
  var millraceLeftTimers: number | undefined;
}
/** In a run that is to be quick (`LEAK_CHECK=quick`) one timer may be the runner's, and is not waited for. */
const RUNNERS_TIMERS = process.env['LEAK_CHECK'] === 'quick' ? 1 : 0;
let before: OpenThings = {};
/** The file is not imported yet. */
const state = globalState();

beforeAll(() => {
  // The runner's own progress timers end soon: counted, they would hide as many timers of the file.
  before = { ...openThings(), Timeout: RUNNERS_TIMERS + (globalThis.millraceLeftTimers ?? 0) };
});

afterAll(async () => {
  const changed = changedState(state, globalState());
  vi.useRealTimers();
  const soon = await leftOverAfter(before, GRACE_MS);
  const open = soon.every((thing) => thing.endsWith('Timeout')) ? soon : await leftOverAfter(before, BUSY_GRACE_MS);
  const left = [...open, ...changed];
  if (left.length === 0) return;
  globalThis.millraceLeftTimers = openThings()['Timeout'] ?? 0;
  throw new Error(`The tests of this file left behind: ${left.join(', ')}. Close it, or put it back, in afterAll.`);
});
