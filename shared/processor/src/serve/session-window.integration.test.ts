// Tests an orchestrator that ignores the window: the buffer of a replica is bounded.
import { SESSION_LIMITS } from '@millrace/contracts';
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { delta, formatChunk, streaming } from '../testing/streaming.ts';
import { openTestSession } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const gate = Promise.withResolvers<void>();
const entered: string[] = [];
const signals: AbortSignal[] = [];
useProcessors(nats, [
  streaming('plain', ({ part }) => part),
  streaming('gated', async ({ part, abortSignal }) => {
    if (!formatChunk(part).startsWith('wait')) return part;
    entered.push(formatChunk(part));
    signals.push(abortSignal);
    await (formatChunk(part) === 'wait 1' ? gate.promise : new Promise(() => undefined));
    return part;
  }),
]);

const full = SESSION_LIMITS.windowChunks;
const windowFrom = (text: string) => [delta(text), ...Array.from({ length: full - 1 }, () => delta('a'))];
const failure = {
  type: 'failure',
  code: 'message-invalid',
  message: expect.stringMatching(`${full + 1} chunks .* at most ${full} may be.* when \`processed\` has advanced`),
};

test('A session with more chunks in flight than the window ends with a failure that names the limit', async () => {
  const session = await openTestSession(asker.bus, { entries: [callEntry('plain'), callEntry('gated')] });
  session.send(windowFrom('wait 1'));
  await eventually(() => entered.includes('wait 1'));
  gate.resolve();
  await eventually(() => session.outputs.at(-1)?.processed === full);
  session.send(windowFrom('wait 2'));
  await eventually(() => entered.includes('wait 2'));
  expect(session.outputs.some(({ verdicts }) => verdicts)).toBe(false);
  session.send([delta('one more')]);
  expect(await session.readEnd()).toMatchObject({ processed: full, verdicts: [failure, failure] });
  expect(session.outputs.map(({ sequence }) => sequence)).toEqual(session.outputs.map((_, at) => at));
  await eventually(() => signals[1]?.aborted);
  session.stop();
});

test('A batch that exceeds the window by itself is not processed', async () => {
  const session = await openTestSession(asker.bus, { entries: [callEntry('plain')] });
  session.send([...windowFrom('a'), delta('one more')]);
  expect(await session.readEnd()).toMatchObject({ processed: 0, verdicts: [failure] });
  expect(session.text()).toBe('');
  session.stop();
});
