// One fault: the program starts runs at seeded times, injects the fault at another, repairs everything, and judges each
// run at its end. Only runs in flight at the fault count in the figures; a leak or a duplicate effect counts in any
// run.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, readMessageText, buildTextMessage, type RunResult } from '@millrace/contracts';
import type { Client, Run } from '@millrace/client';
import { eventually } from '@millrace/testkit/bench';
import { mayLoseOwner, type InjectedFault } from './faults.ts';
import { listRemaining } from './remaining-data.ts';
import { judgeRun, type RunJudgement, type Observed } from './oracle.ts';
import { planRun, type PlannedRun } from './planned-run.ts';
import { createRandom, hashSeed } from './random.ts';
import { AGENT, UNGUARDED_AGENT, UNJUDGED_AGENT, type Rig } from './rig.ts';
import { strike } from './inject-fault.ts';
import { answerQuestions } from './answer-questions.ts';

export type BatchOutcome = {
  /** Runs in flight. */
  judged: (RunJudgement & { run: string; takeoverMs?: number | undefined; longestGapMs: number })[];
  /** Rejected submissions: the run, and the code that the client threw. */
  refused: { run: string; code: string }[];
  /** Findings that belong to no run. */
  noticed: string[];
};

/** Period in which runs are started, ms; their texts take a little longer. */
const START_WITHIN_MS = 1_000;
const STRIKE_AFTER_MS = [200, 1_800] as const;
/** Longer than every wait of a run: for its owner, its guards, its save. */
const END_WITHIN_MS = 120_000;
const HISTORY_WITHIN_MS = 30_000;
const CLEAN_WITHIN_MS = 60_000;
const READ_AGAIN_MS = 20_000;

type Refused = { refused: string; code: string };
type StartedRun = {
  planned: PlannedRun;
  run: Run;
  result: Promise<RunResult | undefined>;
  endedAt: () => number | undefined;
  /** The client's error instead of an end. */
  readBroken: () => string | undefined;
};

export async function runBatch(
  rig: Rig,
  fault: InjectedFault,
  at: { seed: number; batch: number; atOnce: number },
): Promise<BatchOutcome> {
  const random = createRandom(hashSeed(at.seed, fault.name, at.batch));
  const agents = fault.strike.kind === 'control' ? [UNGUARDED_AGENT] : [AGENT, UNJUDGED_AGENT];
  const plans = Array.from({ length: at.atOnce }, (_, n) =>
    planRun(`${fault.name}-${at.seed}-${at.batch}-${n}`, random),
  );
  const client = fault.strike.kind === 'client-cut' ? rig.cutClient : rig.client;
  const starting = plans.map((planned, n) =>
    start(client, agents[n % agents.length] ?? AGENT, planned, random.pickBetween(0, START_WITHIN_MS)),
  );
  const accepted: StartedRun[] = [];
  for (const one of starting) void one.then((started) => isRefused(started) || accepted.push(started));
  await delay(random.pickBetween(...STRIKE_AFTER_MS));
  const claimedBefore = await rig.countClaimed();
  const struckAt = performance.now();
  const inFlight = accepted.filter(({ endedAt }) => endedAt() === undefined);
  await strike(
    fault,
    rig,
    random,
    inFlight.map(({ run }) => run),
  );
  const submitted = await Promise.all(starting);
  const refused = submitted.filter(isRefused).map(({ refused: run, code }) => ({ run, code }));
  const all = submitted.filter((one): one is StartedRun => !isRefused(one));
  const results = await Promise.all(all.map(async (started) => ({ started, result: await started.result })));
  const noticed: string[] = [];
  for (const replica of rig.replicas.endedByThemselves()) {
    noticed.push(`a process of ${replica.role} ended by itself`);
    await replica.startAgain();
  }
  const judged: BatchOutcome['judged'] = [];
  for (const { started, result } of results) {
    const { planned, run } = started;
    const observed = await observe(rig, planned, run, result, fault);
    const judgement = judgeRun(observed);
    const isCounted = inFlight.includes(started);
    const { epochStartedAt, longestGapMs } = observed.seen;
    // An answered run has another owner too.
    const isTaken = epochStartedAt !== undefined && planned.answeredAfterMs === undefined;
    const takeoverMs = isTaken ? epochStartedAt - struckAt : undefined;
    const lost = result ? {} : { why: started.readBroken() ?? 'no end within its time' };
    if (isCounted) judged.push({ ...judgement, ...lost, run: planned.name, takeoverMs, longestGapMs });
    else noticed.push(...[...judgement.doubled, ...judgement.leaked].map((what) => `${planned.name}: ${what}`));
    rig.live.forget(run.runId);
  }
  const ended = results.flatMap(({ started, result }) => (result ? [started.run.runId] : []));
  const cancelled = refused.map(({ run }) => run);
  noticed.push(...(await listUnfinished(rig, [...ended, ...cancelled])));
  noticed.push(...(await ranAfterRefusal(rig.client, cancelled)));
  const claimed = (await rig.countClaimed()) - claimedBefore;
  if (claimed > 0 && !mayLoseOwner(fault))
    noticed.push(`${claimed} runs were claimed from an orchestrator that was up`);
  return { judged, refused, noticed };
}

/** Cancels a rejected submission: its run is unknown, or the cancel ends it. */
async function ranAfterRefusal(client: Client, runs: readonly string[]): Promise<string[]> {
  const readStatus = async (run: string) => (await client.runs.get(run).catch(undefinedIfUnknown))?.status;
  const statuses = await Promise.all(runs.map(async (run) => ({ run, status: await readStatus(run) })));
  return statuses
    .filter(({ status }) => status !== undefined && status !== 'cancelled')
    .map(({ run, status = '' }) => `${run} was refused, and is ${status}`);
}

function undefinedIfUnknown(error: unknown): undefined {
  if (!MillraceError.isInstance(error) || error.code !== 'run-unknown') throw error;
}

/**
 * Lists the keys that remain after every run ended. The fault of an owner in its last writes is noticed after the ack
 * wait.
 */
async function listUnfinished(rig: Rig, ended: readonly string[]): Promise<string[]> {
  let left: string[] = [];
  let waitingNow = 0;
  const isClean = async () => {
    const { keys, waiting } = await rig.readStored();
    left = listRemaining(keys, ended);
    waitingNow = waiting;
    return left.length === 0 && waiting === 0;
  };
  await eventually(isClean, { timeoutMs: CLEAN_WITHIN_MS, pollMs: 500 }).catch(() => undefined);
  const buildHeadKey = (key: string) => `head.${key.split('.').slice(1, 3).join('.')}`;
  const told = left.map(
    async (key) => `${key} is still stored: ${await rig.readKey(key)}; head: ${await rig.readKey(buildHeadKey(key))}`,
  );
  return [...(await Promise.all(told)), ...(waitingNow > 0 ? [`${waitingNow} commands still wait`] : [])];
}

async function start(
  client: Client,
  agent: string,
  planned: PlannedRun,
  afterMs: number,
): Promise<StartedRun | Refused> {
  await delay(afterMs);
  const { name, input } = planned;
  // A random id can contain a piece of a card number.
  const message = buildTextMessage(`user-of-${name}`, 'user', input);
  const run = await client.start(agent, [message], { runId: name, threadId: name }).catch(readCode);
  if (typeof run === 'string') return { refused: name, code: run };
  let ended: number | undefined;
  let broken: string | undefined;
  const ending = answerQuestions(client, run, planned.answeredAfterMs ?? 0).catch((error: unknown) => {
    broken = String(error);
    return undefined;
  });
  const result = Promise.race([ending, delay(END_WITHIN_MS, undefined, { ref: false })]);
  void result.then(() => (ended = performance.now()));
  return { planned, run, result, endedAt: () => ended, readBroken: () => broken };
}

const isRefused = (one: StartedRun | Refused): one is Refused => 'refused' in one;

function readCode(error: unknown): string {
  if (MillraceError.isInstance(error)) return error.code;
  throw error;
}

async function observe(
  rig: Rig,
  planned: PlannedRun,
  run: Run,
  result: RunResult | undefined,
  { strike: how }: InjectedFault,
): Promise<Observed> {
  const cancelAsked = how.kind === 'cancel';
  // True for faults of the tools' only service too.
  const mayMissTools =
    how.kind === 'storm' ||
    how.kind === 'nats-outage' ||
    (how.kind === 'process' && (how.role === 'ledger' || how.role === 'nats'));
  const isStored = result?.status === 'finished';
  const [replayed, history] = await Promise.all([
    result ? readAgain(rig.client, run.runId) : [],
    readHistory(rig.client, planned, isStored),
  ]);
  return {
    planned,
    seen: rig.live.readSeen(run.runId),
    replayed,
    result,
    cancelAsked,
    mayMissTools,
    ledger: rig.ledger(),
    history,
  };
}

async function readAgain(client: Client, runId: string): Promise<Observed['replayed']> {
  const readPositions = async () => {
    const again = await client.follow(runId, { signal: AbortSignal.timeout(READ_AGAIN_MS) });
    return Array.fromAsync(again.positions);
  };
  return readPositions().catch((error: unknown) => ({ unread: String(error) }));
}

/** A save can complete after its run ended. */
async function readHistory(client: Client, { name }: PlannedRun, isStored: boolean): Promise<Observed['history']> {
  const readMessages = async () => {
    const { messages } = await client.threads.messages(name, { limit: 50 });
    return messages.map((message) => ({
      role: message.role,
      text: readMessageText(message),
      json: JSON.stringify(message),
    }));
  };
  if (!isStored) return readMessages().catch(() => undefined);
  const whole = eventually(
    async () => {
      const messages = await readMessages();
      return messages.some(({ role }) => role === 'assistant') ? messages : undefined;
    },
    { timeoutMs: HISTORY_WITHIN_MS, pollMs: 250 },
  );
  return whole.catch(() => []);
}
