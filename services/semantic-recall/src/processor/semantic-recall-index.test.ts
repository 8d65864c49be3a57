import { textMessage, type Message } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_EMBEDDED } from './index-messages.ts';
import { TEXT_MAX_CHARS } from './messages-to-index.ts';
import { createRecallRig } from '../testing/recall-rig.ts';
import { aRun } from '@millrace/testkit';

let rig: Awaited<ReturnType<typeof createRecallRig>>;
beforeEach(async () => {
  rig = await createRecallRig();
});
afterEach(() => rig.close());

const thisRun = aRun({ runId: 'r1' });
const everything = { topK: 100, messageRange: 0 };
const texts = async (query = 'anything') =>
  [...(await rig.recalled(query, everything)).matchAll(/^- \w+ \S+: (.*)/gm)].map(([, text]) => text);

describe('SemanticRecallProcessor: what is indexed', () => {
  test('texts of user and assistant, and nothing else', async () => {
    const call: Message = {
      ...textMessage('call', 'assistant', ''),
      content: {
        format: 2,
        parts: [
          { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: '1', toolName: 'x', args: {} } },
        ],
      },
    };
    await rig.atOutput({
      run: thisRun,
      input: [textMessage('s', 'system', 'Be kind.'), textMessage('u', 'user', 'What is 2 + 2?')],
      response: [call, textMessage('t', 'tool', '4'), textMessage('a', 'assistant', 'It is four.')],
    });
    expect(await texts()).toEqual(['What is 2 + 2?', 'It is four.']);
  });

  test('the user text is embedded once per run, whichever replica has the output', async () => {
    const { state } = await rig.atInput({}, { input: ['green tea'], run: thisRun });
    await rig.atOutput({ state, run: thisRun, input: ['green tea'], response: ['Noted.'] });
    expect(rig.provider.embedded()).toEqual(['green tea', 'Noted.']);
    // What was indexed is the vector of that text: asked for again, it is the nearest there can be.
    expect(await rig.recalled('green tea', { topK: 1, messageRange: 0, threshold: 0.999 })).toContain('green tea');
  });

  test('an input that is walked through again is not embedded again', async () => {
    const { state } = await rig.atInput({}, { input: ['green tea'], run: thisRun });
    await rig.atInput({}, { input: ['green tea'], run: thisRun, state });
    expect(rig.provider.embedded()).toEqual(['green tea']);
  });

  test('a user text that was changed since is embedded as it is now', async () => {
    const { state } = await rig.atInput({}, { input: ['mail ada@example.com'], run: thisRun });
    await rig.atOutput({ state, run: thisRun, input: ['mail [REDACTED]'], response: ['Noted.'] });
    expect(rig.provider.embedded()).toEqual(['mail ada@example.com', 'mail [REDACTED]', 'Noted.']);
    expect(await texts()).toEqual(['mail [REDACTED]', 'Noted.']);
  });

  test('history that the caller sends again is neither embedded nor indexed again, and takes no hit', async () => {
    const history = [textMessage('u1', 'user', 'green tea'), textMessage('a1', 'assistant', 'Noted.')];
    await rig.atOutput({ run: thisRun, input: history.slice(0, 1), response: history.slice(1) });
    const embedded = rig.provider.embedded().length;
    for (const runId of ['r2', 'r3', 'r4']) {
      const input = [...history, textMessage(`${runId}-u`, 'user', `news of ${runId}`)];
      const run = aRun({ runId });
      const { state } = await rig.atInput({}, { run, input });
      await rig.atOutput({ run, state, input, response: [textMessage(`${runId}.0`, 'assistant', `Seen ${runId}.`)] });
    }
    expect(rig.provider.embedded().slice(embedded)).toEqual(
      ['r2', 'r3', 'r4'].flatMap((runId) => [`news of ${runId}`, `Seen ${runId}.`]),
    );
    const recalled = await rig.recalled('green tea', { topK: 8, messageRange: 0 });
    expect(recalled.match(/green tea/g)).toHaveLength(1);
    expect(recalled.match(/^- /gm)).toHaveLength(8);
  });

  test('of a very long run the last messages are embedded, and how many are not is said', async () => {
    const input = Array.from({ length: MAX_EMBEDDED + 20 }, (_, at) => textMessage(`u${at}`, 'user', `line ${at}`));
    const { verdicts } = await rig.atOutput({ run: thisRun, input });
    expect(rig.provider.embedded()).toHaveLength(MAX_EMBEDDED);
    expect(verdicts).toMatchObject([{ violations: [{ rule: 'index-max-messages', count: 20 }] }]);
  });

  test('the state is small, and broken state is no more than a text to embed again', async () => {
    const { state } = await rig.atInput({}, { input: ['green tea'] });
    expect(JSON.stringify(state).length).toBeLessThan(2_000);
    const text = JSON.parse(JSON.stringify(state)).query.text;
    const vectors = ['!', '', 'AAA=', 7].map((vector) => ({ query: { text, vector } }));
    for (const broken of [...vectors, { query: 'x' }, { query: null }]) {
      const { verdicts } = await rig.atInput({}, { input: ['green tea'], state: broken });
      expect(verdicts).toMatchObject([{ type: 'continue' }]);
    }
  });

  test('a run that is indexed twice is there once; a later owner’s texts take its place', async () => {
    await rig.atOutput({ run: thisRun, input: ['one'], response: ['two'] });
    await rig.atOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(await texts()).toEqual(['one', 'two']);
    await rig.atOutput({ run: { ...thisRun, epoch: 2 }, input: ['one'], response: ['three'] });
    expect(await texts()).toEqual(['one', 'three']);
    const { verdicts } = await rig.atOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'save-superseded' }]);
  });

  test('a run does not recall itself', async () => {
    await rig.atOutput({ run: thisRun, input: ['green tea'], response: ['Noted.'] });
    expect(await rig.recalled('green tea', {}, { runId: 'r1' })).toBe('');
  });

  test.each([
    ['where no model has answered', { answered: false }],
    ['without a thread', { run: aRun({ threadId: undefined }) }],
    ['where nobody said anything', { input: [' '], response: [] }],
  ])('a run %s is neither embedded nor indexed', async (_, changes) => {
    const { verdicts } = await rig.atOutput({ input: ['green tea'], response: ['Noted.'], ...changes });
    expect(verdicts).toEqual([{ type: 'continue' }]);
    expect(rig.provider.requests).toEqual([]);
    expect(rig.saves()).toBe(0);
  });

  test('a long text is cut at its bound, between two characters', async () => {
    const long = `x${'😀'.repeat(TEXT_MAX_CHARS)}`;
    await rig.atOutput({ run: thisRun, input: [long], response: [] });
    const [embedded = ''] = rig.provider.embedded();
    expect(embedded).toHaveLength(TEXT_MAX_CHARS - 1);
    expect(embedded.isWellFormed()).toBe(true);
  });

  test('an embedder that fails is a failure, and nothing is indexed', async () => {
    rig.provider.fail({ status: 401, message: 'no such key' });
    const { verdicts } = await rig.atOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'model-call-failed' }]);
    expect(rig.saves()).toBe(0);
  });
});
