// Runs the conformance suite: all rules of docs/wire.md on one running processor, over the bus.
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { waitAtMost, type Bus } from '@millrace/bus';
import { selectCases, type CasesFile } from './cases.ts';
import { findNamed } from './find-targets.ts';
import { measureResponse } from './measure-response.ts';
import { createRandom } from './random.ts';
import type { CheckRule } from './rule.ts';
import {
  isBroken,
  measureUntil,
  rejectAt,
  repeatBroken,
  runRule,
  runRuleAlone,
  type MeasureResponse,
  type RuleResult,
  type RuleRun,
} from './run-rule.ts';
import { toolRules } from './rules/tool-rules.ts';
import { OPTIONS_FIT, callRules } from './rules/call-rules.ts';
import { STREAM } from './session-open.ts';
import { sampleOptions } from './sample-options.ts';
import { startReplica, type StartReplicaOptions, type ReplicaProcess, type StartedReplica } from './start-replica.ts';
import type { CheckTarget, ServedTarget, ToolTarget } from './target.ts';
import { batchRules } from './rules/batch-rules.ts';
import { caseRules } from './rules/case-rules.ts';
import { discoveryRules } from './rules/discovery-rules.ts';
import { sessionRules } from './rules/session-rules.ts';
import { startRules } from './rules/start-rules.ts';
import { stateRules } from './rules/state-rules.ts';
import { stoppedSessionRules } from './rules/stopped-session-rules.ts';

export type CheckOptions = {
  bus: Bus;
  /** A processor's id, a tool's name, or the name of a service: all of its processors, else all of its tools. */
  name: string;
  cases?: CasesFile | undefined;
  /** Starts a replica: the check starts two and ends them. */
  start?: StartReplicaOptions | undefined;
  seed?: number | undefined;
  rules?: readonly CheckRule[] | undefined;
  toolRules?: readonly CheckRule<ToolTarget>[] | undefined;
  /** Time limit of the whole check, ms. */
  limitMs?: number | undefined;
  /** Measures whether the machine is busy. Default: the median response time of the service to nine pings. */
  measure?: MeasureResponse | undefined;
  /** Cancels the check: started processes are ended. */
  signal?: AbortSignal | undefined;
};
export type CheckReport = {
  /** Or the tool. */
  processor: string;
  service: string;
  version: string;
  replicas: number;
  seed: number;
  /** No rule is broken, and none is slow. */
  held: boolean;
  results: RuleResult[];
};

/** Default time limit of a check, ms. */
const CHECK_LIMIT_MS = 60_000;
/**
 * Maximum number of concurrent rules: waits for silence must not add up, and measurements must not be disturbed by
 * load.
 */
const RULES_AT_ONCE = 4;
/** Maximum number of concurrently checked processors of a service. */
const PROCESSORS_AT_ONCE = 4;
const MAX_SEED = 2 ** 31;

/** @throws processor-unknown if no service advertises the name; permission-denied; cancelled if `signal` has fired */
export async function checkProcessors(options: CheckOptions): Promise<CheckReport[]> {
  const { bus, name, start, signal } = options;
  const running: ReplicaProcess[] = [];
  const startTwo = async (how: StartReplicaOptions, started: StartedReplica[]) => {
    // Sequential, so that the new replica in discovery is the one that was started.
    for (let count = 0; count < 2; count += 1) {
      if (signal?.aborted) throw createInterruptedError();
      started.push(await startReplica(bus, name, how, (one) => void running.push(one)));
    }
  };
  const check = async () => {
    const started: StartedReplica[] = [];
    if (start) await startTwo(start, started);
    return checkStarted(options, started);
  };
  try {
    return await Promise.race([check(), ...(signal ? [rejectAt(signal, createInterruptedError)] : [])]);
  } finally {
    await Promise.all(running.map(endProcess));
  }
}

const createInterruptedError = () => new MillraceError('cancelled', 'The check was interrupted.');

/** Maximum time for a replica to end, ms. */
const END_MS = 10_000;

async function endProcess({ sendSignal, exited }: ReplicaProcess): Promise<void> {
  sendSignal('SIGTERM');
  await waitAtMost(exited, END_MS);
  sendSignal('SIGKILL');
}

function createUnknownError(name: string, refused: readonly string[]): MillraceError {
  if (refused.length === 0)
    return new MillraceError('processor-unknown', `No running service advertises "${name}".`, {
      remedy: 'millrace processors list shows the running ones, with --problems the rejected ones.',
    });
  return new MillraceError('processor-unknown', `The advertisement of "${name}" is rejected: ${refused.join('; ')}`, {
    remedy: 'Correct its descriptor (docs/wire.md, "2. Being found"), and start it again.',
  });
}

async function checkStarted(options: CheckOptions, started: readonly StartedReplica[]): Promise<CheckReport[]> {
  const { bus, name, rules = RULES, limitMs = CHECK_LIMIT_MS, signal } = options;
  const seed = options.seed ?? Math.floor(Math.random() * MAX_SEED);
  const { processors: found, tools, refused } = await findNamed(bus, name);
  const timeUp = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
  const run = { timeUp, measure: measureUntil(timeUp, options.measure ?? measureResponse) };
  if (found.length === 0 && tools.length > 0) return checkTools(tools, seed, run, options.toolRules ?? toolRules);
  if (found.length === 0) throw createUnknownError(name, refused);
  const targets = found.map((place): CheckTarget => {
    const cases = selectCases(options.cases, place.descriptor.id);
    const optionSets: readonly JsonObject[] = cases.options ?? [sampleOptions(place.descriptor.optionsSchema)];
    return { ...place, bus, optionSets, cases, started, random: createRandom(seed) };
  });
  const checked = targets.map((target): CheckedTarget<CheckTarget> => ({ target, results: [] }));
  await runBeside(checked, rules.filter(isOptionsFit), run);
  // Without valid options each other rule would fail, too.
  const fitting = checked.filter(({ results }) => results.every(isPassed));
  // Rules that load or end replicas run after all other rules of all processors.
  await runBeside(
    fitting,
    rules.filter((rule) => rule.alone !== true && !isOptionsFit(rule)),
    run,
  );
  await runAlone(
    fitting,
    rules.filter(({ alone }) => alone === true),
    run,
  );
  return checked.map(({ target, results }) => buildReport(target, seed, results));
}

const isOptionsFit = ({ id }: CheckRule): boolean => id === OPTIONS_FIT.id;
const isPassed = ({ result }: RuleResult): boolean => result === 'held' || result === 'skipped';

type CheckedTarget<T> = { target: T; results: RuleResult[] };

/** Runs rules concurrently. Those that fail on a busy machine are repeated afterwards, one after the other. */
async function runBeside<T extends ServedTarget>(
  checked: readonly CheckedTarget<T>[],
  rules: readonly CheckRule<T>[],
  run: RuleRun,
): Promise<void> {
  const outcomes = await mapAtOnce(checked, PROCESSORS_AT_ONCE, ({ target }) =>
    mapAtOnce(rules, RULES_AT_ONCE, async (rule) => ({ rule, outcome: await runRule(target, rule, run) })),
  );
  for (const [at, { target, results }] of checked.entries()) {
    const own = outcomes[at] ?? [];
    const responseMs = own.some(({ outcome }) => isBroken(outcome)) ? await run.measure(target) : undefined;
    for (const { rule, outcome } of own)
      results.push(isBroken(outcome) ? await repeatBroken(target, rule, run, outcome, responseMs) : outcome.result);
  }
}

/** Rule by rule, because a replica that a rule ends serves the other processors of its service too. */
async function runAlone(
  checked: readonly CheckedTarget<CheckTarget>[],
  rules: readonly CheckRule[],
  run: RuleRun,
): Promise<void> {
  const ends = checked.find(({ target }) => target.descriptor.stages.includes(STREAM)) ?? checked[0];
  for (const rule of rules)
    for (const one of checked) {
      const other =
        rule.ends && one !== ends ? `its replica ends once: ${ends?.target.descriptor.id} was asked` : undefined;
      one.results.push(await runRuleAlone(one.target, rule, run, rule.skipReason?.(one.target) ?? other));
    }
}

async function checkTools(
  tools: readonly ToolTarget[],
  seed: number,
  run: RuleRun,
  rules: readonly CheckRule<ToolTarget>[],
): Promise<CheckReport[]> {
  const checked = tools.map((target): CheckedTarget<ToolTarget> => ({ target, results: [] }));
  await runBeside(checked, rules, run);
  return checked.map(({ target: { tool, service, infos }, results }) => {
    const held = results.every(isPassed);
    const version = infos[0]?.version ?? '';
    return { processor: tool.name, service, version, replicas: infos.length, seed, held, results };
  });
}

function buildReport({ descriptor, service, infos }: CheckTarget, seed: number, results: RuleResult[]): CheckReport {
  const held = results.every(isPassed);
  return {
    processor: descriptor.id,
    service,
    version: descriptor.version,
    replicas: infos.length,
    seed,
    held,
    results,
  };
}

/** Returns results in the order of the arguments. */
async function mapAtOnce<T, R>(given: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...given.entries()];
  const runWorker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, runWorker));
  return results;
}

/** All rules in the order of the report. */
export const RULES: readonly CheckRule[] = [
  ...discoveryRules,
  ...callRules,
  ...stateRules,
  ...sessionRules,
  ...stoppedSessionRules,
  ...batchRules,
  ...caseRules,
  ...startRules,
];
