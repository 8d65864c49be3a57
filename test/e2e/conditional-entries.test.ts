// Entries with `when` are called in the runs that match their context, at all stages or at none.
import { useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect } from './collect.ts';
import { script } from './script.ts';
import { stopper } from './verdict-processors.ts';

const stack = useSharedStack();
useProcessors(stack, [stopper]);

const when = { context: 'plan', equals: 'free' };
const stopping = (at: string) => ({ use: 'stopper', options: { at }, when });
const ask = async (agent: string, requestContext: { plan?: string }) => {
  const run = await stack.client.start(agent, script({ text: 'Hello.' }), { requestContext });
  await collect(run);
  return { result: await run.result(), events: await stack.client.runs.events(run.runId), runId: run.runId };
};

describe('an entry with `when`', () => {
  test.each(['processInput', 'processOutputStream', 'processOutputResult'])(
    'a conditional entry that stops at %s stops matching runs only and is not called in others',
    async (at) => {
      const { when: _, ...same } = stopping(at);
      const name = `when-${at}`;
      await stack.client.agents.apply({
        name,
        model: 'openai/gpt-5-mini',
        input: [stopping(at)],
        output: [{ ...same, when }],
      });
      expect((await ask(name, { plan: 'free' })).result).toMatchObject({ status: 'aborted' });
      for (const context of [{ plan: 'pro' }, {}]) {
        const { result, events, runId } = await ask(name, context);
        expect(result).toMatchObject({ status: 'finished', text: 'Hello.' });
        expect(events.filter(({ event }) => event === 'stage')).toEqual([]);
        expect(await stack.client.runs.eventsDetail(runId)).toContainEqual(
          expect.objectContaining({ event: 'run', status: 'running', detail: { leftOut: ['stopper'] } }),
        );
      }
    },
  );

  test('a required entry with `when` is rejected, and `agents plan` warns about a conditional judge', async () => {
    const base = { name: 'when-refused', model: 'openai/gpt-5-mini' };
    await expect(
      stack.client.agents.apply({ ...base, input: [{ ...stopping('processInput'), required: true }] }),
    ).rejects.toMatchObject({ code: 'agent-invalid', issues: [{ path: 'input[0].when' }] });
    const { warnings } = await stack.client.agents.plan({ definition: { ...base, input: [stopping('processInput')] } });
    expect(warnings?.map(({ code }) => code)).toContain('judge-under-when');
  });
});
