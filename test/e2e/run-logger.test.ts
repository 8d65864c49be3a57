// run-logger in complete runs: as an observer and in the run, it writes a line for each stage, with masked texts if it logs any.
import { eventually, useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'tools']);
const agent = applying(stack);
const MAIL = 'ada@example.com';
const STAGES = [
  'processInput',
  'processInputStep',
  'processLLMResponse',
  'processOutputStep',
  'processToolCall',
  'processToolResult',
  'processOutputResult',
];

/** Runs an agent that calls a tool and answers with an address. @returns the lines of the run, as text */
async function logRun(name: string, logger: object): Promise<string[]> {
  const entries = ['pii', { use: 'LoggingProcessor', ...logger }];
  const lists = { input: entries, output: entries, tools: ['calculator'] };
  const answers = [
    { toolCalls: [{ name: 'calculator', args: { expression: '40+2' } }] },
    { text: `Write to ${MAIL}.` },
  ];
  const run = await stack.client.start(await agent(name, lists), `I am ${MAIL}. ${script(...answers)}`);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'Write to ***@***.***.' });
  const listLines = async () =>
    (await stack.log('guardrails'))
      .split('\n')
      .filter((line) => line.includes(run.runId) && line.includes('stage of a run'));
  await eventually(async () => (await listLines()).some((line) => line.includes('processOutputResult')));
  return listLines();
}

test.each([
  ['as an observer', { observe: true }],
  ['in the run', {}],
])('%s it logs each stage with sizes and without texts', async (name, more) => {
  const lines = await logRun(`logged-${name.slice(0, 2)}`, more);
  expect(STAGES.filter((stage) => !lines.some((line) => line.includes(`"stage":"${stage}"`)))).toEqual([]);
  expect(lines.join('')).not.toMatch(/example\.com|40\+2|Write to/);
});

test('with `contents` it logs the texts as the guards before it passed them', async () => {
  const lines = (await logRun('logged-texts', { observe: true, options: { contents: true } })).join('');
  expect(lines).toContain('Write to ***@***.***.');
  expect(lines).toContain('40+2');
  expect(lines).toContain('I am ***@***.***');
  expect(lines).not.toContain(MAIL);
});
