// Many large tool results: the run finishes, whatever its tools return.
import { readMessageText } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { readChunks } from '../api/read-run.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookTool } from '../testing/look-tool.ts';
import { makePlan } from '../testing/plan-entries.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, serveTool } = useSuspendedRuns(stream);

const call = (step: number) => ({ toolCallId: `c${step}`, toolName: 'look', input: '{}' });

async function runWith(calls: number, characters: number) {
  serveTool(connection.bus, 'look', async () => ({ result: 'x'.repeat(characters) }));
  const script = Array.from({ length: calls }, (_, step) => ({ text: 'Looking.', calls: [call(step)] }));
  const { begin, apply } = driver(...script, { text: 'Done.' });
  const run = await begin({ agent: await apply({ maxSteps: 20 }, { ...makePlan([]), tools: [lookTool()] }) });
  await run.drive();
  return run;
}

test.each([
  [6, 500_000, 0],
  [10, 500_000, 3],
])(
  '%i tool results of %i bytes end as finished; %i of them are replaced by an error',
  async (calls, characters, replaced) => {
    const run = await runWith(calls, characters);
    const end = await run.end();
    expect(end?.result).toMatchObject({ status: 'finished', finishReason: 'stop' });
    expect(end?.result.text).toContain('Done.');
    const results = end?.result.steps.flatMap(({ toolResults }) => toolResults) ?? [];
    expect(results).toHaveLength(calls);
    const errors = results.filter(({ isError }) => isError);
    expect(errors.map(({ result }) => result)).toEqual(
      Array.from({ length: replaced }, () => ({ error: expect.objectContaining({ code: 'message-too-large' }) })),
    );
    const head = await run.head();
    if (!head) throw new Error('the run has no head');
    const messages = end?.lastChunk.type === 'finish' ? end.lastChunk.payload.messages : [];
    expect(messages).toEqual(end?.result.messages);
    expect(end?.result.messages.map(readMessageText).join('')).toBe(end?.result.text);
    const { complete } = await readChunks(stream.access, head, { epoch: 1, index: head.nextIndex - 1 });
    expect(complete).toBe(true);
  },
  60_000,
);
