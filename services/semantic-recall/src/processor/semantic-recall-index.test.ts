import { buildTextMessage, type Message } from '@millrace/contracts';
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
  [...(await rig.recallText(query, everything)).matchAll(/^- \w+ \S+: (.*)/gm)].map(([, text]) => text);

describe('SemanticRecallProcessor: indexing', () => {
  test('semantic-recall indexes only the texts of user and assistant', async () => {
    const call: Message = {
      ...buildTextMessage('call', 'assistant', ''),
      content: {
        format: 2,
        parts: [
          { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: '1', toolName: 'x', args: {} } },
        ],
      },
    };
    await rig.callOutput({
      run: thisRun,
      input: [buildTextMessage('s', 'system', 'Be kind.'), buildTextMessage('u', 'user', 'What is 2 + 2?')],
      response: [call, buildTextMessage('t', 'tool', '4'), buildTextMessage('a', 'assistant', 'It is four.')],
    });
    expect(await texts()).toEqual(['What is 2 + 2?', 'It is four.']);
  });

  test('semantic-recall embeds the user text once per run, on any replica', async () => {
    const { state } = await rig.callInput({}, { input: ['green tea'], run: thisRun });
    await rig.callOutput({ state, run: thisRun, input: ['green tea'], response: ['Noted.'] });
    expect(rig.provider.listEmbedded()).toEqual(['green tea', 'Noted.']);
    // The indexed vector is that of the text: a query with the same text finds it at the maximum score.
    expect(await rig.recallText('green tea', { topK: 1, messageRange: 0, threshold: 0.999 })).toContain('green tea');
  });

  test('semantic-recall does not embed an input again if the input stage is repeated', async () => {
    const { state } = await rig.callInput({}, { input: ['green tea'], run: thisRun });
    await rig.callInput({}, { input: ['green tea'], run: thisRun, state });
    expect(rig.provider.listEmbedded()).toEqual(['green tea']);
  });

  test('semantic-recall embeds the current user text if a processor changed it after the input stage', async () => {
    const { state } = await rig.callInput({}, { input: ['mail ada@example.com'], run: thisRun });
    await rig.callOutput({ state, run: thisRun, input: ['mail [REDACTED]'], response: ['Noted.'] });
    expect(rig.provider.listEmbedded()).toEqual(['mail ada@example.com', 'mail [REDACTED]', 'Noted.']);
    expect(await texts()).toEqual(['mail [REDACTED]', 'Noted.']);
  });

  test('history that the caller sends again is neither embedded nor indexed again, and displaces no hit', async () => {
    const history = [buildTextMessage('u1', 'user', 'green tea'), buildTextMessage('a1', 'assistant', 'Noted.')];
    await rig.callOutput({ run: thisRun, input: history.slice(0, 1), response: history.slice(1) });
    const embedded = rig.provider.listEmbedded().length;
    for (const runId of ['r2', 'r3', 'r4']) {
      const input = [...history, buildTextMessage(`${runId}-u`, 'user', `news of ${runId}`)];
      const run = aRun({ runId });
      const { state } = await rig.callInput({}, { run, input });
      await rig.callOutput({
        run,
        state,
        input,
        response: [buildTextMessage(`${runId}.0`, 'assistant', `Seen ${runId}.`)],
      });
    }
    expect(rig.provider.listEmbedded().slice(embedded)).toEqual(
      ['r2', 'r3', 'r4'].flatMap((runId) => [`news of ${runId}`, `Seen ${runId}.`]),
    );
    const recalled = await rig.recallText('green tea', { topK: 8, messageRange: 0 });
    expect(recalled.match(/green tea/g)).toHaveLength(1);
    expect(recalled.match(/^- /gm)).toHaveLength(8);
  });

  test('semantic-recall embeds the last messages of a very long run and reports the number of the others', async () => {
    const input = Array.from({ length: MAX_EMBEDDED + 20 }, (_, at) =>
      buildTextMessage(`u${at}`, 'user', `line ${at}`),
    );
    const { verdicts } = await rig.callOutput({ run: thisRun, input });
    expect(rig.provider.listEmbedded()).toHaveLength(MAX_EMBEDDED);
    expect(verdicts).toMatchObject([{ violations: [{ rule: 'index-max-messages', count: 20 }] }]);
  });

  test('the state is small, and broken state only causes another embedding', async () => {
    const { state } = await rig.callInput({}, { input: ['green tea'] });
    expect(JSON.stringify(state).length).toBeLessThan(2_000);
    const text = JSON.parse(JSON.stringify(state)).query.text;
    const vectors = ['!', '', 'AAA=', 7].map((vector) => ({ query: { text, vector } }));
    for (const broken of [...vectors, { query: 'x' }, { query: null }]) {
      const { verdicts } = await rig.callInput({}, { input: ['green tea'], state: broken });
      expect(verdicts).toMatchObject([{ type: 'continue' }]);
    }
  });

  test("a run that is indexed twice is stored once, and a later owner's texts replace the earlier ones", async () => {
    await rig.callOutput({ run: thisRun, input: ['one'], response: ['two'] });
    await rig.callOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(await texts()).toEqual(['one', 'two']);
    await rig.callOutput({ run: { ...thisRun, epoch: 2 }, input: ['one'], response: ['three'] });
    expect(await texts()).toEqual(['one', 'three']);
    const { verdicts } = await rig.callOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'save-superseded' }]);
  });

  test('a run does not recall its own messages', async () => {
    await rig.callOutput({ run: thisRun, input: ['green tea'], response: ['Noted.'] });
    expect(await rig.recallText('green tea', {}, { runId: 'r1' })).toBe('');
  });

  test.each([
    ['where no model has answered', { answered: false }],
    ['without a thread', { run: aRun({ threadId: undefined }) }],
    ['without messages', { input: [' '], response: [] }],
  ])('semantic-recall neither embeds nor indexes a run %s', async (_, changes) => {
    const { verdicts } = await rig.callOutput({ input: ['green tea'], response: ['Noted.'], ...changes });
    expect(verdicts).toEqual([{ type: 'continue' }]);
    expect(rig.provider.requests).toEqual([]);
    expect(rig.saves()).toBe(0);
  });

  test('semantic-recall cuts a long text at its limit, between two characters', async () => {
    const long = `x${'😀'.repeat(TEXT_MAX_CHARS)}`;
    await rig.callOutput({ run: thisRun, input: [long], response: [] });
    const [embedded = ''] = rig.provider.listEmbedded();
    expect(embedded).toHaveLength(TEXT_MAX_CHARS - 1);
    expect(embedded.isWellFormed()).toBe(true);
  });

  test('a failing embedder causes a failure, and nothing is indexed', async () => {
    rig.provider.fail({ status: 401, message: 'no such key' });
    const { verdicts } = await rig.callOutput({ run: thisRun, input: ['one'], response: ['two'] });
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'model-call-failed' }]);
    expect(rig.saves()).toBe(0);
  });
});
