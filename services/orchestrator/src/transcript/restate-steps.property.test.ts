// If processors change the answers of a run in any way, the chunks before the retract and the chunks that replace the others
// have the final text; without a change there is no retract.
import {
  readMessageText,
  buildTextMessage,
  type Chunk,
  type Message,
  type RunAction,
  type RunState,
} from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildResponseMessageId } from './response-message.ts';
import { makeChunk } from './make-chunk.ts';
import { dataChunk, listTypes, makeText, say } from '../testing/chunks.ts';
import { foldActions, makeAccepted, makeAnswer, makeState, RUN_ID } from '../testing/run-states.ts';
import { findRestated, restateSteps } from './restate-steps.ts';

type Step = { text: string; streamed: string; dropsFrame: boolean };
const words = fc.constantFrom('', 'One. ', 'Two. ', 'Three. ', 'One. Two. ');
const steps = fc.array(
  fc
    .record({ text: words, other: fc.option(words), dropsFrame: fc.boolean() })
    .map(({ text, other, dropsFrame }): Step => ({ text, streamed: other ?? text, dropsFrame })),
  { maxLength: 4 },
);
type Change = { at: number; what: 'rewrite' | 'remove' | 'add' | 'move'; text: string };
const changes = fc.array(
  fc.record({
    at: fc.nat(4),
    what: fc.constantFrom<Change['what'][]>('rewrite', 'remove', 'add', 'move'),
    text: words,
  }),
  { maxLength: 3 },
);
const total = fc.option(fc.constantFrom('In short.', ''), { freq: 6 });

/** The run's state and its chunks, from index 0 on. */
function makeRun(script: readonly Step[]): { state: RunState; chunks: Chunk[] } {
  const chunks: Chunk[] = [makeChunk(RUN_ID, { type: 'start', payload: {} })];
  let state = makeState();
  for (const [at, { text, streamed, dropsFrame }] of script.entries()) {
    const firstIndex = chunks.length;
    const messageId = buildResponseMessageId(RUN_ID, at);
    if (!dropsFrame) chunks.push(makeChunk(RUN_ID, { type: 'step-start', payload: { messageId } }));
    if (streamed !== '') chunks.push(...say(streamed));
    chunks.push(dataChunk('seen', at));
    const finish = { stepResult: { reason: 'stop' }, output: { text }, messageId };
    if (!dropsFrame) chunks.push(makeChunk(RUN_ID, { type: 'step-finish', payload: finish }));
    const differs: RunAction[] = streamed === text ? [] : [{ action: 'stream-differed' }];
    state = foldActions(
      state,
      { action: 'step-opened', firstIndex },
      ...differs,
      ...makeAccepted(makeAnswer(at, text)),
      { action: 'step-closed', results: [] },
    );
  }
  return { state, chunks };
}

function applyChange(messages: readonly Message[], { at, what, text }: Change, place: number): Message[] {
  const target = messages[at];
  const others = messages.filter((one) => one !== target);
  if (what === 'add') return messages.toSpliced(at, 0, buildTextMessage(`added-${place}`, 'assistant', text));
  if (!target) return [...messages];
  if (what === 'rewrite') return messages.with(at, buildTextMessage(target.id, 'assistant', text));
  return what === 'move' ? [...others, target] : others;
}

test('the joined text is the final one', () => {
  fc.assert(
    fc.property(steps, changes, total, fc.boolean(), (script, changed, text, isLogGone) => {
      const { state, chunks } = makeRun(script);
      const said = script.map((step, at) =>
        buildTextMessage(buildResponseMessageId(RUN_ID, at), 'assistant', step.text),
      );
      const messages = changed.reduce(applyChange, said);
      const final = { runId: RUN_ID, messages, text: text ?? messages.map(readMessageText).join('') };
      const restated = findRestated(state, final);
      const from = restated?.from ?? chunks.length;
      const next = restated ? restateSteps(RUN_ID, isLogGone ? [] : chunks.slice(from), restated) : [];
      expect(makeText([...chunks.slice(0, from), ...next])).toBe(final.text);
    }),
    { numRuns: 3_000 },
  );
});

test('nothing is restated if the streamed texts are those of the answers', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const same = script.map((step) => ({ ...step, streamed: step.text }));
      const messages = same.map((step, at) =>
        buildTextMessage(buildResponseMessageId(RUN_ID, at), 'assistant', step.text),
      );
      const final = { runId: RUN_ID, messages, text: messages.map(readMessageText).join('') };
      expect(findRestated(makeRun(same).state, final)).toBeUndefined();
    }),
  );
});

describe('restated steps', () => {
  const { state, chunks } = makeRun(
    ['One. ', 'Two. ', 'Three. '].map((text) => ({ text, streamed: text, dropsFrame: false })),
  );
  const rewrite = (at: number): Message[] =>
    [0, 1, 2].map((n) =>
      buildTextMessage(
        buildResponseMessageId(RUN_ID, n),
        'assistant',
        n === at ? 'Other. ' : (state.steps[n]?.text ?? ''),
      ),
    );

  test('begin with the first one that differs, and keep the chunks around the answers and of the other steps', () => {
    const messages = rewrite(1);
    const restated = findRestated(state, { runId: RUN_ID, messages, text: 'One. Other. Three. ' });
    expect(restated?.from).toBe(state.shown[1]?.firstIndex);
    const was = chunks.slice(restated?.from);
    const next = restated ? restateSteps(RUN_ID, was, restated) : [];
    expect(listTypes(next)).toEqual(listTypes(was));
    expect(makeText(next)).toBe('Other. Three. ');
    expect(next.slice(6)).toEqual(was.slice(6));
  });

  test('follow the stream without a retract if a message is only added', () => {
    const messages = [...rewrite(9), buildTextMessage('m9', 'assistant', 'Four.')];
    const restated = findRestated(state, { runId: RUN_ID, messages, text: 'One. Two. Three. Four.' });
    expect(restated).toMatchObject({ from: undefined, text: 'Four.' });
  });
});
