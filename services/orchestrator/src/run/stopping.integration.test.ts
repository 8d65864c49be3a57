// A run that is stopped from outside while it waits: in each statement it ends at once, publishes one last chunk and
// stores it.
import { endsRun, type Plan, type Stage, type ToolDefinition } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { serveTool } from '../testing/test-servings.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const tool: ToolDefinition = {
  name: 'slow',
  description: 'never answers',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.slow',
  idempotent: false,
  timeoutMs: 30_000,
};
const calls = [{ toolCallId: 'c1', toolName: 'slow', input: '{}' }];
const refused = new Error('refused');

/** A run that waits for ever in one stage, or for its tool. */
async function stuckAt(where: Stage | 'tool') {
  let isThere = false;
  const hang = () => {
    isThere = true;
    return 'silence' as const;
  };
  const say = where === 'processAPIError' ? { error: refused } : { text: 'Hello.', calls };
  const driver = createDriver(stream, say);
  const plan: Plan =
    where === 'tool'
      ? makePlan([], [tool])
      : makePlan([planEntry('p', { stages: [where], timeoutMs: 30_000 })], [tool]);
  const answers = where !== 'tool' && where !== 'processToolCall';
  serveTool(connection.bus, 'slow', async () => {
    isThere ||= where === 'tool';
    return answers ? { result: 1 } : undefined;
  });
  if (where !== 'tool') scriptReplica(connection.bus, where, ['p'], hang);
  // One step, so that the last stage follows the tool.
  const run = await driver.begin({ agent: await driver.apply({ maxSteps: 1 }, plan) });
  const driving = run.drive();
  await eventually(() => isThere);
  return { ...run, driving };
}

const places: (Stage | 'tool')[] = [
  'processInput',
  'processInputStep',
  'processLLMRequest',
  'processAPIError',
  'processLLMResponse',
  'processOutputStep',
  'processToolCall',
  'tool',
  'processToolResult',
  'processOutputResult',
];

const limited = Object.assign(new Error('slow down'), {
  [Symbol.for('vercel.ai.error')]: true,
  [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
  statusCode: 429,
  isRetryable: true,
  responseHeaders: { 'retry-after': '30' },
});

/** A run that waits for the model's next attempt. */
async function stuckInBackoff() {
  const driver = createDriver(stream, { error: limited });
  const run = await driver.begin({ agent: await driver.apply() });
  const driving = run.drive();
  await eventually(() => driver.asked.length === 1);
  return { ...run, driving };
}

/** A run that a processor has halted: the judge of its text hangs, or the memory that saves it. */
async function stuckInHalt(where: 'processOutputStream' | 'processOutputResult') {
  let isThere = false;
  const driver = createDriver(stream, { text: 'Hello.' });
  // Only a model's answer is saved.
  const at = where === 'processOutputResult' ? 'processOutputStep' : 'processInput';
  scriptReplica(connection.bus, at, ['halter'], () => [{ type: 'halt', response: 'Sorry.' }]);
  scriptReplica(connection.bus, where, ['message-history'], () => {
    isThere = true;
    return 'silence';
  });
  const hanging = planEntry('message-history', { stages: [where], timeoutMs: 30_000, memory: true });
  const plan = makePlan([planEntry('halter', { stages: [at] }), hanging]);
  const run = await driver.begin({ agent: await driver.apply({}, plan) });
  const driving = run.drive();
  await eventually(() => isThere);
  return { ...run, driving };
}

const others = [
  ['the wait for the model’s next try', stuckInBackoff],
  ['the judging of a halt’s text', () => stuckInHalt('processOutputStream')],
  ['the saving of a halt', () => stuckInHalt('processOutputResult')],
] as const;

describe.each<['cancelled' | 'deadline', object, string]>([
  ['cancelled', { result: { status: 'cancelled' } }, 'abort'],
  ['deadline', { result: { error: { code: 'run-deadline-exceeded' } } }, 'error'],
])('%s', (reason, end, last) => {
  const all = [...places.map((where) => [where, () => stuckAt(where)] as const), ...others];
  test.each(all)('in %s', async (_where, stuck) => {
    const run = await stuck();
    const started = performance.now();
    run.stop.stop(reason);
    await run.driving;
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await run.end()).toMatchObject(end);
    expect(run.chunks().filter(endsRun)).toHaveLength(1);
    expect(run.chunks().at(-1)?.type).toBe(last);
    expect(run.countAcks()).toBe(1);
  });
});
