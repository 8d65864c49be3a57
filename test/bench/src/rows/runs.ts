// Complete runs: with guards and memories, and with processors without a cost of their own.
import { needPass, needServices, needSix, SIX, type BenchContext, type Measure } from '../bench-context.ts';
import { measureLoad, DELTAS, manyRuns, MODEL, makeScript, type Cost } from '../load.ts';
import { round, row } from '../measure.ts';

const guards = ['unicode-normalizer', 'prompt-injection', 'content-length'];
const keyword = { use: 'keyword', options: { keywords: ['forbidden'] } };
const SERVICES = ['orchestrator', 'guardrails', 'tools', 'message-history', 'semantic-recall', 'working-memory'];
const tools = ['calculator', 'clock'];

export const runs16: Measure = async (context) => {
  await needServices(context, ...SERVICES);
  const { client } = context.stack;
  const memory = { lastMessages: 10, semanticRecall: true, workingMemory: { template: 'Name: {{name}}' } };
  const output = ['content-length', keyword, 'pii'];
  await client.agents.apply({ name: 'bench-demo', model: MODEL, tools, memory, input: guards, output });
  await client.agents.apply({ name: 'bench-tools', model: MODEL, tools });
  const load = { input: makeScript(0), atOnce: 16 };
  await manyRuns(client, { ...load, agent: 'bench-demo', total: 32 });
  await manyRuns(client, { ...load, agent: 'bench-tools', total: 32 });
  const demo = await manyRuns(client, { ...load, agent: 'bench-demo', total: 96 });
  const bare = await manyRuns(client, { ...load, agent: 'bench-tools', total: 192 });
  return row('runs-16', 'runs/s', 96 / demo.seconds, 192 / bare.seconds, { deltas: DELTAS });
};

export const paced64: Measure = async (context) => {
  await needServices(context, ...SERVICES);
  const { client } = context.stack;
  await client.agents.apply({ name: 'bench-guarded', model: MODEL, output: ['content-length', keyword, 'pii'] });
  await client.agents.apply({ name: 'bench-bare', model: MODEL });
  const perRun = async (agent: string) => {
    await manyRuns(client, { agent, input: makeScript(20), atOnce: 64, total: 64 });
    return (await measureLoad(context, { agent, input: makeScript(20), atOnce: 64, total: 128 })).cpuMs;
  };
  const guarded = await perRun('bench-guarded');
  const bare = await perRun('bench-bare');
  return row('paced-64', 'ms of processor time a run', guarded, bare, { deltas: DELTAS, everyMs: 20 });
};

/** Six pass-through processors in three services, ten messages of memory: the cost of the bus for a run. */
export async function applySix(context: BenchContext): Promise<void> {
  await needServices(context, 'orchestrator', 'message-history');
  await needSix(context);
  const memory = { lastMessages: 10 };
  await context.stack.client.agents.apply({ name: 'bench-six', model: MODEL, input: SIX, output: SIX, memory });
}

export function runCost(name: string, atOnce: number): Measure {
  return async (context) => {
    await applySix(context);
    await context.stack.client.agents.apply({ name: 'bench-bare', model: MODEL });
    const cost = async (agent: string): Promise<Cost> => {
      const load = { agent, input: makeScript(0), atOnce };
      await manyRuns(context.stack.client, { ...load, total: 64 });
      return measureLoad(context, { ...load, total: 128 });
    };
    const six = await cost('bench-six');
    const bare = await cost('bench-bare');
    const byProcess = Object.fromEntries(Object.entries(six.byProcess).map(([service, ms]) => [service, round(ms)]));
    return row(name, 'ms of processor time a run', six.cpuMs, bare.cpuMs, {
      atOnce,
      runsPerSecond: round(six.runsPerSecond),
      ...byProcess,
    });
  };
}

const IN_ONE = Array.from({ length: 6 }, (_, at) => `six-${at}`);

/**
 * The same six in one service: adjacent processors of one replica share a call and a session. The baseline has them in
 * three services.
 */
export const sixInOne: Measure = async (context) => {
  await applySix(context);
  await needPass(context, IN_ONE);
  const memory = { lastMessages: 10 };
  await context.stack.client.agents.apply({ name: 'bench-one', model: MODEL, input: IN_ONE, output: IN_ONE, memory });
  const cost = async (agent: string) => {
    await manyRuns(context.stack.client, { agent, input: makeScript(0), atOnce: 16, total: 64 });
    return measureLoad(context, { agent, input: makeScript(0), atOnce: 16, total: 128 });
  };
  const one = await cost('bench-one');
  const three = await cost('bench-six');
  return row('six-in-one', 'ms of processor time a run', one.cpuMs, three.cpuMs, {
    runsPerSecond: round(one.runsPerSecond),
    inThree: round(three.runsPerSecond),
  });
};
