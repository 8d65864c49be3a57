// If its event loop stalls, a replica reads requests late. A call, a session or a tool call that was cancelled before must not start.
import { STALL_MS } from '@millrace/bus';
import type { Stage } from '@millrace/contracts';
import { callEntry, eventually, stageCall, TEST_RUN, useBus, useNats, useProcessors } from '@millrace/testkit';
import { beforeEach, expect, test } from 'vitest';
import { defineWithMethods } from '../testing/one-method.ts';
import { delta, streaming } from '../testing/streaming.ts';
import { testTool } from '../testing/test-tool.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const service = 'stalled-service';
const started: string[] = [];
beforeEach(() => void started.splice(0));

const stall = () => {
  const until = performance.now() + STALL_MS + 250;
  while (performance.now() < until);
};
useProcessors(
  nats,
  [
    { ...defineWithMethods({ processInput: stall }), id: 'stalling' },
    {
      ...defineWithMethods({ processInput: ({ run }) => void started.push(run.runId) }),
      id: 'noting',
    },
    streaming('stream', ({ part, run }) => (started.push(run.runId), part)),
  ],
  service,
  [testTool('note', async (_args, { run }) => (started.push(run.runId), 'noted'))],
);

const call = (stage: 'processInput' | 'processOutputStream', processor: string, runId: string) => ({
  ...stageCall(stage, [callEntry(processor)]),
  callId: crypto.randomUUID(),
  run: { ...TEST_RUN, runId },
});
const session = (runId: string) => ({
  ...call('processOutputStream', 'stream', runId),
  session: crypto.randomUUID(),
  orchestrator: asker.bus.id,
  chunks: [delta('a')],
  end: true,
});
const toolCall = (runId: string) => ({
  callId: crypto.randomUUID(),
  run: { ...TEST_RUN, runId },
  stepNumber: 0,
  toolCall: { toolCallId: 'call-1', toolName: 'note', args: {} },
  requestContext: {},
  timeoutMs: 5_000,
});

/** Publishes everything in one write, so that the replica reads it in one turn of its event loop. Resolves with the answers. */
async function sendTogether(requests: [subject: string, payload: object][], cancelled: string): Promise<object[]> {
  const { nc, subjects } = asker.bus;
  const answers: object[] = [];
  const reply = `_INBOX.test.${crypto.randomUUID()}`;
  const inbox = nc.subscribe(reply, { callback: (_error, message) => void answers.push(message.json<object>()) });
  await nc.flush();
  for (const [subject, payload] of requests) nc.publish(subject, JSON.stringify(payload), { reply });
  nc.publish(subjects.cancelCalls(service), JSON.stringify({ callIds: [cancelled] }));
  await eventually(() => answers.length === requests.length);
  inbox.unsubscribe();
  return answers;
}

const stageSubject = (stage: Stage, processor: string) => asker.bus.subjects.stage(stage, { service, processor });
test.each([
  [
    'stage call',
    () => stageSubject('processInput', 'noting'),
    (runId: string) => call('processInput', 'noting', runId),
  ],
  ['session', () => stageSubject('processOutputStream', 'stream'), session],
  ['tool call', () => asker.bus.subjects.tool(service, 'note'), toolCall],
])('a replica does not start a %s that was cancelled while its event loop stalled', async (_kind, subject, request) => {
  const [cancelled, wanted] = [request('cancelled'), request('wanted')];
  const answers = await sendTogether(
    [
      [stageSubject('processInput', 'stalling'), call('processInput', 'stalling', 'first')],
      [subject(), cancelled],
      [subject(), wanted],
    ],
    cancelled.callId,
  );
  expect(started).toEqual(['wanted']);
  expect(answers).toContainEqual({ error: expect.objectContaining({ code: 'cancelled' }) });
});
