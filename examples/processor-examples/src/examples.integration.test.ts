// The examples served as they are, in the agent that lists all of them.
import { readFileSync } from 'node:fs';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'tools']);
const resolveHere = (path: string) => new URL(path, import.meta.url).pathname;

beforeAll(async () => {
  await stack.startProgram('examples', resolveHere('main.ts'));
  const file = parseAgentFile('agent.yaml', readFileSync(resolveHere('../agent.yaml'), 'utf8'), {});
  await stack.client.agents.apply(file.definition);
}, 120_000);

/** In small letters already: `lowercase` reads the script too. */
const ask = (text: string, ...answers: string[]) =>
  stack.client.start(
    'examples',
    `${text}\n\n\`\`\`script\n[${answers.map((one) => `{"text": "${one}"}`).join()}]\n\`\`\``,
  );

test('an agent of all examples answers: words counted, the model chosen, a thin answer asked for again', async () => {
  const run = await ask('Tell me.', 'thin', 'the mill turns.');
  const types: string[] = [];
  for await (const chunk of run.fullStream) types.push(chunk.type);
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'the mill turns.' });
  expect(types).toContain('data-word-count');
  const events = await stack.client.runs.events(run.runId);
  expect(events.filter(({ event }) => event === 'model')).toHaveLength(2);
});

test('An agent of all examples blocks a word in the input and in the answer', async () => {
  const said = await (await ask('What of the secret-project?')).result();
  expect(said).toMatchObject({ status: 'aborted', tripwire: { reason: 'Blocked content detected in input' } });
  const answered = await (await ask('Tell me.', String.raw`it is the \u0073ecret-project then.`)).result();
  expect(answered).toMatchObject({
    status: 'aborted',
    violations: [{ processorId: 'content-filter', rule: 'blocked-word' }],
  });
});
