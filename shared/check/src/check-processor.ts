// The conformance suite: all rules of docs/wire.md on one processor that is running, over the bus.
import { MillraceError, type JsonObject } from '@millrace/contracts';
import { within, type Bus } from '@millrace/bus';
import { BrokenError } from './broken.ts';
import { casesOf, type CasesFile } from './cases.ts';
import { findNamed } from './find-targets.ts';
import { createRandom } from './random.ts';
import type { Rule } from './rule.ts';
import { toolRules } from './rules/tool-rules.ts';
import { OPTIONS_FIT } from './rules/call-rules.ts';
import { RULES } from './rules.ts';
import { STREAM } from './session-open.ts';
import { sampleOptions } from './sample-options.ts';
import { startReplica, type StartOptions, type StartedProcess, type StartedReplica } from './start-replica.ts';
import type { Target, ToolTarget } from './target.ts';
import { WIRE_PAGES } from './wire-page.ts';

export type CheckOptions = {
  bus: Bus;
  /** A processor's id, a tool's name, or the name of a service: all of its processors, else all of its tools. */
  name: string;
  cases?: CasesFile | undefined;
  /** How a replica is started: two are, and ended in the end. */
  start?: StartOptions | undefined;
  seed?: number | undefined;
  rules?: readonly Rule[] | undefined;
  toolRules?: readonly Rule<ToolTarget>[] | undefined;
  /** For all of it, ms. */
  limitMs?: number | undefined;
  /** Nobody wants the report any more: what was started is ended. */
  signal?: AbortSignal | undefined;
};
export type RuleResult = {
  rule: string;
  promise: string;
  result: 'held' | 'broken' | 'skipped';
  /** Heading of docs/wire.md. */
  page: string;
  ms: number;
  /** What is wrong, or why it was skipped. */
  problem?: string;
  /** The message in which it was seen. */
  seen?: string;
};
export type CheckReport = {
  /** Or the tool. */
  processor: string;
  service: string;
  version: string;
  replicas: number;
  seed: number;
  held: boolean;
  results: RuleResult[];
};

/** What a check may take, ms. */
const CHECK_LIMIT_MS = 60_000;
/** Rules at once: those that wait for silence must not add up, and what a rule measures must not be the others' load. */
const RULES_AT_ONCE = 4;
/** Of a service's processors. */
const PROCESSORS_AT_ONCE = 4;
const MAX_SEED = 2 ** 31;

/** @throws processor-unknown where nobody advertises it; cancelled when `signal` has fired */
export async function checkProcessors(options: CheckOptions): Promise<CheckReport[]> {
  const { bus, name, start, signal } = options;
  const running: StartedProcess[] = [];
  const startTwo = async (how: StartOptions, started: StartedReplica[]) => {
    // One after the other: what is new in discovery is then the one that was started.
    for (let count = 0; count < 2; count += 1) {
      if (signal?.aborted) throw interrupted();
      started.push(await startReplica(bus, name, how, (one) => void running.push(one)));
    }
  };
  const check = async () => {
    const started: StartedReplica[] = [];
    if (start) await startTwo(start, started);
    return checkStarted(options, started);
  };
  try {
    return await Promise.race([check(), ...(signal ? [rejectedBy(signal, interrupted)] : [])]);
  } finally {
    await Promise.all(running.map(endProcess));
  }
}

const interrupted = () => new MillraceError('cancelled', 'The check was interrupted.');

function rejectedBy(signal: AbortSignal, error: () => Error): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody looks at it when the check is done.
  promise.catch(() => undefined);
  if (signal.aborted) reject(error());
  else signal.addEventListener('abort', () => reject(error()), { once: true });
  return promise;
}

/** How long a replica may take to end, ms. */
const END_MS = 10_000;

async function endProcess({ signal, exited }: StartedProcess): Promise<void> {
  signal('SIGTERM');
  await within(exited, END_MS);
  signal('SIGKILL');
}

async function checkStarted(options: CheckOptions, started: readonly StartedReplica[]): Promise<CheckReport[]> {
  const { bus, name, rules = RULES, limitMs = CHECK_LIMIT_MS, signal } = options;
  const seed = options.seed ?? Math.floor(Math.random() * MAX_SEED);
  const { processors: found, tools } = await findNamed(bus, name);
  const timeUp = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
  if (found.length === 0 && tools.length > 0) return checkTools(tools, seed, timeUp, options.toolRules ?? toolRules);
  if (found.length === 0)
    throw new MillraceError('processor-unknown', `No running service advertises "${name}".`, {
      remedy: 'millrace processors list shows those that are up, with --problems those that are refused.',
    });
  const targets = found.map((place): Target => {
    const cases = casesOf(options.cases, place.descriptor.id);
    const optionSets: readonly JsonObject[] = cases.options ?? [sampleOptions(place.descriptor.optionsSchema)];
    return { ...place, bus, optionSets, cases, started, random: createRandom(seed) };
  });
  // What loads or ends replicas comes when nothing else is asked any more, of any of them.
  const beside = await someAtOnce(targets, PROCESSORS_AT_ONCE, (target) => runBeside(target, rules, timeUp));
  const checked = targets.map((target, at) => ({ target, results: [...(beside[at] ?? [])] }));
  await runAlone(
    checked.filter(({ results }) =>
      results.every(({ rule, result }) => rule !== OPTIONS_FIT.id || result !== 'broken'),
    ),
    rules.filter(({ alone }) => alone === true),
    timeUp,
  );
  return checked.map(({ target, results }) => reportOf(target, seed, results));
}

type Checked = { target: Target; results: RuleResult[] };

/** Rule by rule: a replica that a rule ends serves the other processors of its service too. */
async function runAlone(checked: readonly Checked[], rules: readonly Rule[], timeUp: AbortSignal): Promise<void> {
  const ends = checked.find(({ target }) => target.descriptor.stages.includes(STREAM)) ?? checked[0];
  for (const rule of rules)
    for (const one of checked) {
      const other =
        rule.ends && one !== ends ? `its replica ends once: ${ends?.target.descriptor.id} was asked` : undefined;
      one.results.push(await runRule(one.target, rule, timeUp, rule.skipped?.(one.target) ?? other));
    }
}

async function checkTools(
  tools: readonly ToolTarget[],
  seed: number,
  timeUp: AbortSignal,
  rules: readonly Rule<ToolTarget>[],
): Promise<CheckReport[]> {
  return someAtOnce(tools, PROCESSORS_AT_ONCE, async (target) => {
    const results = await someAtOnce(rules, RULES_AT_ONCE, (rule) => runRule(target, rule, timeUp));
    const { tool, service, infos } = target;
    const held = results.every(({ result }) => result !== 'broken');
    const version = infos[0]?.version ?? '';
    return { processor: tool.name, service, version, replicas: infos.length, seed, held, results };
  });
}

async function runBeside(target: Target, rules: readonly Rule[], timeUp: AbortSignal): Promise<RuleResult[]> {
  const own = rules.filter(({ alone }) => alone !== true);
  const first = own.find(({ id }) => id === OPTIONS_FIT.id);
  const fit = first && (await runRule(target, first, timeUp));
  if (fit?.result === 'broken') return [fit];
  const rest = await someAtOnce(
    own.filter((rule) => rule !== first),
    RULES_AT_ONCE,
    (rule) => runRule(target, rule, timeUp),
  );
  return [...(fit ? [fit] : []), ...rest];
}

function reportOf({ descriptor, service, infos }: Target, seed: number, results: RuleResult[]): CheckReport {
  const held = results.every(({ result }) => result !== 'broken');
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

/** In the order in which they were given. */
async function someAtOnce<T, R>(given: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...given.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function runRule<T>(
  target: T,
  rule: Rule<T>,
  timeUp: AbortSignal,
  why = rule.skipped?.(target),
): Promise<RuleResult> {
  const started = performance.now();
  const head = { rule: rule.id, promise: rule.promise, page: WIRE_PAGES[rule.page] };
  const result = (more: Pick<RuleResult, 'result'> & Partial<RuleResult>): RuleResult => ({
    ...head,
    ms: Math.round(performance.now() - started),
    ...more,
  });
  if (why !== undefined) return result({ result: 'skipped', problem: why });
  const late = rejectedBy(timeUp, () => new BrokenError('it was not done when the time of the check was up'));
  try {
    await Promise.race([rule.run(target), late]);
    return result({ result: 'held' });
  } catch (error) {
    if (!(error instanceof BrokenError)) throw error;
    return result({ result: 'broken', problem: error.message, ...(error.seen !== undefined && { seen: error.seen }) });
  }
}
