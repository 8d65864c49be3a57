// The agent's option `record: changes`: the stored changes, the rights to read them, and the texts that are never in them.
import { useProcessors, useSharedStack } from '@millrace/testkit';
import { connect } from '@millrace/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { CARD, processors, read } from './changing-processors.ts';
import { collect, formatWithoutIds } from './collect.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const agent = applying(stack);
useProcessors(stack, processors, 'recorded', [read]);

const PROMPT = `My colour card is ${CARD} here.`;
const record = { record: 'changes' };
const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'Falcon' }], strategy: 'block' } };

async function readChanges(name: string, text: string) {
  const result = await stack.client.generate(name, text, { resourceId: 'recorded', threadId: crypto.randomUUID() });
  const answer = await stack.client.runs.changes(result.runId);
  return { result, ...answer, text: formatWithoutIds(answer) };
}
const joinText = (segments: readonly object[] = []): string =>
  segments.map((one) => ('text' in one ? String(one.text) : '#')).join('');

describe('the recorded changes', () => {
  let masked: string;
  beforeAll(async () => {
    masked = await agent('recorded-masked', { input: ['speller', 'pii'], ...record });
  });

  test('A secret that a later entry masks is in no recorded text', async () => {
    const { changes, text } = await readChanges(masked, PROMPT);
    expect(changes.map(({ entry, stage }) => [entry, stage])).toEqual([
      ['speller', 'processInput'],
      ['pii', 'processInput'],
    ]);
    const [spelled, pii] = changes;
    expect([joinText(spelled?.before), joinText(spelled?.after)]).toEqual([
      'My # card is # here.',
      'My color card is # here.',
    ]);
    expect([joinText(pii?.before), joinText(pii?.after)]).toEqual([
      'My color card is # here.',
      'My color card is [REDACTED] here.',
    ]);
    expect(pii?.violations).toEqual([{ processorId: 'pii', rule: 'card', count: 1 }]);
    for (const secret of [CARD, '4111', 'colour']) expect(text).not.toContain(secret);
  });

  test('A secret that the output stream masks is in no recorded text of the answer', async () => {
    const name = await agent('recorded-output', { output: ['pii', 'speller'], ...record });
    const { result, changes, text } = await readChanges(name, script({ text: `The colour card is ${CARD} too.` }));
    expect(result.text).toBe('The color card is [REDACTED] too.');
    expect(changes.find(({ stage }) => stage === 'processOutputStream')).toMatchObject({
      violations: [{ rule: 'card' }],
    });
    expect(changes.find(({ entry }) => entry === 'speller')).toBeDefined();
    expect(text).not.toContain('4111');
  });

  test('Each entry of the output stream has its own change', async () => {
    const rules = [{ pattern: 'Falcon' }];
    const falcon = { use: 'regex-filter', options: { rules, strategy: 'redact' } };
    const name = await agent('recorded-stream', { output: [falcon, 'pii'], ...record });
    const { result, changes, text } = await readChanges(name, script({ text: `The Falcon has ${CARD} now.` }));
    expect(result.text).toBe('The [REDACTED] has [REDACTED] now.');
    const streamed = changes.filter(({ stage }) => stage === 'processOutputStream');
    expect(streamed.map(({ entry, part }) => [entry, part])).toEqual([
      ['regex-filter', 'message'],
      ['pii', 'message'],
    ]);
    expect(streamed.map(({ before, after }) => [joinText(before), joinText(after)])).toEqual([
      ['The # has # now.', 'The [REDACTED] has # now.'],
      ['The [REDACTED] has # now.', 'The [REDACTED] has [REDACTED] now.'],
    ]);
    for (const secret of ['Falcon', '4111']) expect(text).not.toContain(secret);
  });

  test('The arguments and the result of a call are recorded, with masks for what the output masks', async () => {
    const name = await agent('recorded-tool', {
      input: ['stamping'],
      output: ['stamping', 'pii', 'holder-masker'],
      tools: ['read-card'],
      maxSteps: 2,
      ...record,
    });
    const call = { toolCalls: [{ name: 'read-card', args: { of: 'Oslo' } }] };
    const { changes, text } = await readChanges(name, script(call, { text: 'Done.' }));
    const shown = changes.map(({ entry, stage, part, before, after }) => [
      entry,
      stage,
      part,
      joinText(before),
      joinText(after),
    ]);
    expect(shown).toEqual([
      ['stamping', 'processToolCall', 'arguments', '{\n "of": "Oslo"\n}', '{\n "of": "Oslo",\n "stamp": "green"\n}'],
      [
        'stamping',
        'processToolResult',
        'result',
        '{\n "card": #,\n "holder": #\n}',
        '{\n "card": #,\n "holder": #,\n "stamp": "blue"\n}',
      ],
      [
        'pii',
        'processToolResult',
        'result',
        '{\n "card": #,\n "holder": #,\n "stamp": "blue"\n}',
        '{\n "card": "[REDACTED]",\n "holder": #,\n "stamp": "blue"\n}',
      ],
      [
        'holder-masker',
        'processOutputStream',
        'result',
        '{\n "card": "[REDACTED]",\n "holder": #,\n "stamp": "blue"\n}',
        '{\n "card": "[REDACTED]",\n "holder": "[HOLDER]",\n "stamp": "blue"\n}',
      ],
    ]);
    for (const secret of ['4111', 'Ann']) expect(text).not.toContain(secret);
  });

  test('A changed system message is recorded by its length alone', async () => {
    const name = await agent('recorded-system', { instructions: 'Be brief.', input: ['hinting'], ...record });
    const { changes, text } = await readChanges(name, 'Hello.');
    expect(changes).toMatchObject([
      {
        entry: 'hinting',
        part: 'system',
        before: [{ masked: 9 }],
        after: [{ masked: 9 + '\nThe hidden hint.'.length }],
      },
    ]);
    expect(text).not.toContain('hidden');
  });

  test('The verdict of a member of a parallel group is recorded', async () => {
    const name = await agent('recorded-group', { input: [{ parallel: [blocking, 'content-length'] }], ...record });
    const { changes } = await readChanges(name, 'The Falcon flies.');
    expect(changes).toMatchObject([{ entry: 'regex-filter', verdict: 'abort' }]);
  });

  test('Changes before a suspension are recorded without text', async () => {
    const gate = { use: 'approval-gate', options: { tools: ['read-card'] } };
    const lists = { input: ['speller', gate], output: ['shortener'], tools: ['read-card'], maxSteps: 2 };
    const name = await agent('recorded-suspended', { ...lists, ...record });
    const call = { toolCalls: [{ name: 'read-card', args: { of: 'Ann' } }] };
    const run = await stack.client.start(name, `A colour. ${script(call, { text: 'An honour too.' })}`);
    await collect(run);
    const waiting = await stack.client.runs.changes(run.runId);
    expect([waiting.changes.map(({ entry }) => entry), waiting.lost]).toEqual([['speller', 'approval-gate'], 0]);
    const suspended = await stack.client.runs.listSuspended();
    const [pending] = suspended.find(({ runId }) => runId === run.runId)?.pending ?? [];
    const resumed = await run.resume(pending?.resumeToken ?? '', { approved: true });
    expect((await resumed.result()).text).toBe('An honor too.');
    const { changes, lost } = await stack.client.runs.changes(run.runId);
    expect(changes.map(({ entry, stage }) => [entry, stage])).toEqual([
      ['speller', 'processInput'],
      ['approval-gate', 'processToolCall'],
      ['shortener', 'processOutputStep'],
    ]);
    expect([JSON.stringify(changes[0]).includes('"text":'), lost]).toEqual([false, 0]);
    expect(joinText(changes[2]?.after)).toBe('An honor too.');
  });

  test('A secret of the input that only the last stage of the output masks is in no recorded text', async () => {
    const name = await agent('recorded-late', { input: ['speller'], output: ['pii'], ...record });
    const { changes, text } = await readChanges(name, `${PROMPT} ${script({ text: 'Noted.' })}`);
    expect(changes.find(({ entry }) => entry === 'speller')).toMatchObject({ before: expect.any(Array) });
    expect(text).not.toContain('4111');
  });

  test('A blocked text is recorded by its rule, without a word of it', async () => {
    const name = await agent('recorded-blocked', { input: ['speller', blocking], ...record });
    const { result, changes, text } = await readChanges(name, 'The colour Falcon flies.');
    expect(result.status).toBe('aborted');
    expect(changes.at(-1)).toMatchObject({ entry: 'regex-filter', verdict: 'abort', violations: [{ count: 1 }] });
    expect(changes.at(-1)).not.toHaveProperty('before');
    for (const word of ['colour', 'color', 'flies', 'Falcon']) expect(text).not.toContain(`"${word}`);
    expect(text).not.toMatch(/"text":/);
  });

  test.each([
    ['a processor answers in place of the model', { input: ['speller', 'halting'] }],
    ['an entry changes the prompt of the model later', { input: ['speller', 'prompt-masker'] }],
  ])('No text is recorded if %s', async (what, lists) => {
    const name = await agent(`recorded-${what.length}`, { ...lists, ...record });
    const { changes, text } = await readChanges(name, `A colour. ${script({ text: 'Hi.' })}`);
    expect(changes.find(({ entry }) => entry === 'speller')).toMatchObject({
      before: [{ masked: expect.any(Number) }],
    });
    expect(text).not.toMatch(/"text":/);
  });

  test('Without the option nothing is recorded', async () => {
    const name = await agent('recorded-off', { input: ['speller', 'pii'] });
    expect((await readChanges(name, PROMPT)).changes).toEqual([]);
  });

  test('A caller without the rights of an operator is refused', async () => {
    const { result } = await readChanges(masked, PROMPT);
    const caller = await connect({ url: stack.url, subject: 'recorded' });
    try {
      await expect(caller.runs.changes(result.runId)).rejects.toMatchObject({ code: 'permission-denied' });
    } finally {
      await caller.close();
    }
  });

  test('The command prints each change with its masks', async () => {
    const { result } = await readChanges(masked, PROMPT);
    const printed = await millrace(['runs', 'changes', result.runId], { env: { NATS_URL: stack.url } });
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining('My color card is [REDACTED] here.') });
    expect(printed.stdout).toContain('▒▒▒(19)');
  });
});
