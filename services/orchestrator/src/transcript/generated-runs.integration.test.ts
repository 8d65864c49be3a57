// Compares the live chunks, the log, the result and the store of generated runs. Owners are lost at any write of a run,
// and its chunks stay those of a run with one owner.
import { RELEASES, type Chunk, type ChunkBatch, type RunResult } from '@millrace/contracts';
import type { Delivery, JetStreamAccess } from '@millrace/bus';
import { useBus, useNats, useProcessors } from '@millrace/testkit';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createRunStop, type RunStop } from '../state/run-stop.ts';
import { driveRun } from '../takeover/drive-run.ts';
import { makeText } from '../testing/chunks.ts';
import { createModelDriver, type DrivenRun } from '../testing/driven-runs.ts';
import {
  makeScriptedPlan,
  runScripts,
  scriptAnswers,
  serveJudges,
  streamProcessor,
  type RunScript,
} from '../testing/generated-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { listShown } from '../testing/shown-chunks.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { readVisible } from './logged-chunks.ts';

/** A failure is reported as it was found: a smaller one takes longer to find than a test may. */
const SETTINGS = { numRuns: 20, endOnFailure: true };
const nats = useNats();
useProcessors(nats, [streamProcessor], 'masks');
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { serveTool, listStoredKeys, lastingKeys, readStatus, pending, resume, nextCommand } = useSuspendedRuns(stream);

beforeEach(async () => {
  serveJudges(connection.bus);
  serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
  await connection.bus.nc.flush();
});

/** A write of an owner, from 0 on. `isStored`: the owner is interrupted after the write, otherwise before it. */
type WritePoint = { write: number; isStored: boolean };
const writePoints = fc.record({ write: fc.nat(14), isStored: fc.boolean() });

/** Calls `interrupt` at the write and at each later one. A write that it rejects is not made. */
function interceptWrite({ write, isStored }: WritePoint, interrupt: () => Promise<void>): JetStreamAccess {
  const { access } = stream;
  let count = 0;
  const publish: typeof access.js.publish = async (...args) => {
    const at = count++;
    if (at > write || (at === write && !isStored)) await interrupt();
    const acked = await access.js.publish(...args);
    if (at === write) await interrupt();
    return acked;
  };
  return { ...access, js: Object.create(access.js, { publish: { value: publish } }) };
}

type Owner = { access: JetStreamAccess; stop: RunStop; lost: Promise<void>; wake(): void };

/** An owner that is lost at the write; one without a point is never lost. */
function createOwner(point?: WritePoint): Owner {
  const reached = Promise.withResolvers<void>();
  const sleeping = Promise.withResolvers<void>();
  const die = async () => {
    reached.resolve();
    await sleeping.promise;
    // An error that no writer retries.
    throw new TypeError('the process was killed');
  };
  const access = point ? interceptWrite(point, die) : stream.access;
  return { access, stop: createRunStop(), lost: reached.promise, wake: sleeping.resolve };
}

async function beginScript(script: RunScript): Promise<DrivenRun> {
  const { apply, begin } = createModelDriver(stream, scriptAnswers(script));
  const agent = await apply({ release: script.release, maxProcessorRetries: 9 }, makeScriptedPlan(script));
  return begin({ agent });
}

/** Drives the run by one owner after the other, and answers its questions. Only the owners with a point are lost. */
async function driveScript(script: RunScript, points: readonly WritePoint[] = []): Promise<DrivenRun> {
  const run = await beginScript(script);
  const waiting = [...points];
  const owners: { owner: Owner; driving: Promise<void> }[] = [];
  let delivery: Delivery = run.delivery;
  for (let isOver = false; !isOver;) {
    const owner = createOwner(waiting.shift());
    const { deps } = createModelDriver({ access: owner.access }, scriptAnswers(script));
    const driving = driveRun(deps, delivery, owner.stop);
    owners.push({ owner, driving: driving.catch(() => undefined) });
    const isLost = (await Promise.race([owner.lost.then(() => true), driving])) === true;
    if (isLost) owner.stop.fence();
    else if ((await readStatus(run)) === 'suspended') {
      await resume(run, (await pending(run))[0]?.resumeToken ?? '', true);
      delivery = await nextCommand(run);
    } else isOver = true;
  }
  for (const { owner, driving } of owners) {
    owner.wake();
    await driving;
  }
  await connection.bus.nc.flush();
  return run;
}

/** Drives the run with one owner, which is cancelled at the write. */
async function driveCancelled(given: RunScript, point: WritePoint): Promise<DrivenRun> {
  const script: RunScript = given.results === 'ask' ? { ...given, results: 'pass' } : given;
  const stop = createRunStop();
  const access = interceptWrite(point, async () => stop.stop('cancelled'));
  const driver = createModelDriver({ access }, scriptAnswers(script));
  const run = await beginScript(script);
  await driveRun(driver.deps, run.delivery, stop);
  await connection.bus.nc.flush();
  return run;
}

async function replay(run: DrivenRun, from = { epoch: 1, index: 0 }): Promise<ChunkBatch[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches, complete } = await readVisible(stream.access, head, from);
  if (!complete) throw new Error('the chunks of the run have several pages');
  return batches;
}

/** `replayed`: the chunks of a reader that has no chunk, and of one that continues after each live batch. */
type RunView = { shown: Chunk[]; replayed: Chunk[][]; lastChunk: Chunk; result: RunResult; leftKeys: string[] };

async function readRun(run: DrivenRun): Promise<RunView> {
  const end = await run.end();
  if (!end) throw new Error('the run has not ended');
  const replayed = [listShown(await replay(run))];
  for (const [at, { epoch, index, chunks }] of run.live.entries()) {
    const rest = await replay(run, { epoch, index: index + chunks.length });
    replayed.push(listShown([...run.live.slice(0, at + 1), ...rest]));
  }
  const lasting = new Set(await lastingKeys(run));
  const leftKeys = (await listStoredKeys(run)).filter((key) => !lasting.has(key));
  return { ...end, shown: listShown(run.live), replayed, leftKeys };
}

/** Texts that must not be in the chunks or in the result of a run. A cancelled run keeps an answer that is not judged yet. */
const WITHHELD = ['rude ', 'bad ', 'enough '];

function findFaults({ shown, replayed, lastChunk, result, leftKeys }: RunView): string[] {
  const [json, text] = [JSON.stringify([shown, result]), makeText(shown)];
  const { status, finishReason } = result;
  const isHalted = finishReason === 'halted';
  const faults: [string, boolean][] = [
    ['a reader of the log has other chunks', replayed.some((read) => !isDeepStrictEqual(read, shown))],
    ['the last chunk is not that of the end', !isDeepStrictEqual(shown.at(-1), lastChunk)],
    ['the store has entries of a run that has ended', leftKeys.length > 0],
    ['masked text is shown', json.includes('ada ')],
    ['rejected text is shown', status !== 'cancelled' && WITHHELD.some((word) => json.includes(word))],
    ['the text is not that of the result', status === 'finished' && !isHalted && text !== result.text],
    ['the text does not end with that of the halt', isHalted && !text.endsWith(result.text)],
  ];
  return faults.flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}

/** Joins the pieces of each text, and omits everything that differs between two runs of one script. */
function describeRun({ shown, result: { status, text, messages, steps, finishReason } }: RunView) {
  const chunks: { type: string; text: string }[] = [];
  for (const chunk of shown) {
    const last = chunks.at(-1);
    const own = makeText([chunk]);
    if (own !== '' && last?.type === chunk.type) last.text += own;
    else chunks.push({ type: chunk.type, text: own });
  }
  const texts = steps.map((step) => step.text);
  return { chunks, status, text, messages: messages.map(({ content }) => content.content), texts, finishReason };
}

test('live chunks, log, result and store of a run agree, and rejected text is in none of them', async () => {
  await fc.assert(
    fc.asyncProperty(runScripts, async (script) => {
      expect(findFaults(await readRun(await driveScript(script)))).toEqual([]);
    }),
    SETTINGS,
  );
});

/** A model fails, and its owner is lost when the failure is stored. */
const lostAtFailure = RELEASES.map((release): [RunScript, WritePoint[]] => [
  { release, answers: ['broken'], results: 'pass', late: 'nothing', stream: 'mask', overlap: 'none' },
  [{ write: 7, isStored: true }],
]);

test('a run has the chunks of one owner if its owners are lost at any write', async () => {
  const points = fc.array(writePoints, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(runScripts, points, async (script, lost) => {
      const whole = await readRun(await driveScript(script));
      const taken = await readRun(await driveScript(script, lost));
      expect(findFaults(taken)).toEqual([]);
      expect(describeRun(taken)).toEqual(describeRun(whole));
    }),
    {
      ...SETTINGS,
      examples: lostAtFailure,
    },
  );
});

test('live chunks, log, result and store of a run agree if it is cancelled at any write', async () => {
  await fc.assert(
    fc.asyncProperty(runScripts, writePoints, async (script, point) => {
      expect(findFaults(await readRun(await driveCancelled(script, point)))).toEqual([]);
    }),
    SETTINGS,
  );
});
