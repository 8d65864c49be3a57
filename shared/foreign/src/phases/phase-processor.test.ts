// Processors of three phases, alone and in a chain, as a replica calls them.
import { describe, expect, test } from 'vitest';
import { AS, callAdapted } from '../testing/call-adapted.ts';
import { ErrHalt, suspend, type PhaseProcessor, type PostProcessor, type PreProcessor } from './phase-interfaces.ts';
import { phaseProcessor } from './phase-processor.ts';
import { createProcessorChain } from './processor-chain.ts';

/** Masks all occurrences of a word in all three phases. */
const redactor: PhaseProcessor = {
  preLLM(_ctx, req) {
    for (const message of req.messages) message.content = message.content.replace('hello', '***');
  },
  postLLM(_ctx, resp) {
    resp.content = resp.content.replace('secret', '***');
  },
  postTool(_ctx, _call, result) {
    result.content = JSON.parse(JSON.stringify(result.content).replace('noon', '***'));
  },
};

describe('a processor of three phases', () => {
  const definition = phaseProcessor(redactor, AS);

  test('A phase processor changes its input in place before the model, after it and after a tool', async () => {
    expect(definition).toMatchObject({
      stages: ['processInputStep', 'processOutputStep', 'processToolResult'],
      rewritesAnswers: true,
    });
    expect(await callAdapted(definition, 'processInputStep')).toMatchObject({
      changes: { ops: [{ op: 'replace', message: { id: 'input-0', content: { parts: [{ text: '***' }] } } }] },
    });
    expect(await callAdapted(definition, 'processOutputStep')).toEqual({
      type: 'continue',
      changes: { text: 'My address is ***.' },
    });
    expect(await callAdapted(definition, 'processToolResult')).toEqual({
      type: 'continue',
      changes: { result: { at: '***' }, isError: false },
    });
  });

  test('changes the whole request', async () => {
    const choosing: PreProcessor = {
      preLLM(_ctx, req) {
        req.model = 'openai/b';
        req.tools = [];
        req.toolChoice = 'none';
      },
    };
    expect(await callAdapted(phaseProcessor(choosing, AS), 'processInputStep')).toEqual({
      type: 'continue',
      changes: { model: 'openai/b', tools: [], toolChoice: 'none' },
    });
  });

  test('trims the calls of an answer', async () => {
    const trimming: PostProcessor = { postLLM: (_ctx, resp) => void resp.toolCalls.splice(0) };
    expect(await callAdapted(phaseProcessor(trimming, AS), 'processOutputStep')).toEqual({
      type: 'continue',
      changes: { toolCalls: [] },
    });
  });
});

describe('a stop of three phases', () => {
  test.each([
    ['returned', (): Error => new ErrHalt('Closed today.')],
    [
      'thrown',
      (): Error => {
        throw new ErrHalt('Closed today.');
      },
    ],
  ])('that is %s ends the run with its answer', async (_how, stop) => {
    const halting: PhaseProcessor = { preLLM: stop, postLLM: stop, postTool: stop };
    for (const stage of ['processInputStep', 'processOutputStep', 'processToolResult'] as const) {
      expect(await callAdapted(phaseProcessor(halting, AS), stage)).toEqual({
        type: 'halt',
        response: 'Closed today.',
      });
    }
  });

  test('A phase processor suspends the run and receives the answer', async () => {
    const gate: PostProcessor = {
      postLLM(ctx, resp) {
        if (resp.toolCalls.length === 0 || ctx.resumeData === 'go') return undefined;
        return suspend({ reason: 'dangerous tool calls need approval' });
      },
    };
    const definition = phaseProcessor(gate, AS);
    expect(await callAdapted(definition, 'processOutputStep')).toEqual({
      type: 'suspend',
      payload: { reason: 'dangerous tool calls need approval' },
    });
    expect(await callAdapted(definition, 'processOutputStep', { resumeData: 'go' })).toEqual({ type: 'continue' });
  });

  test('Any other return value is a failure instead of a suspension', async () => {
    const broken: PreProcessor = { preLLM: () => new Error('the store is down') };
    expect(await callAdapted(phaseProcessor(broken, AS), 'processInputStep')).toMatchObject({
      type: 'failure',
      code: 'processor-failed',
      message: 'the store is down',
    });
  });
});

describe('a chain', () => {
  const add = (letter: string): PhaseProcessor => ({
    postLLM: async (_ctx, resp) => {
      resp.content += letter;
    },
  });

  test('The chain runs its processors in the order of their addition and skips those without the phase', async () => {
    const chain = createProcessorChain(add('a'))
      .add({ preLLM: () => undefined })
      .add(add('b'));
    expect(chain.len()).toBe(3);
    const definition = phaseProcessor(chain, AS);
    expect(definition.stages).toEqual(['processInputStep', 'processOutputStep']);
    expect(await callAdapted(definition, 'processOutputStep', { input: { text: 'x' } })).toMatchObject({
      changes: { text: 'xab' },
    });
  });

  test('ends at the first stop', async () => {
    const seen: string[] = [];
    const chain = createProcessorChain(
      { postLLM: () => new ErrHalt('no') },
      { postLLM: () => void seen.push('later') },
    );
    expect(await callAdapted(phaseProcessor(chain, AS), 'processOutputStep')).toMatchObject({ type: 'halt' });
    expect(seen).toEqual([]);
  });

  test('The chain rejects a processor without any phase', () => {
    expect(() => createProcessorChain().add({})).toThrow('none of preLLM, postLLM and postTool');
    expect(() => createProcessorChain({})).toThrow('none of preLLM, postLLM and postTool');
  });

  test('with nothing in it does nothing, and is not served', async () => {
    const chain = createProcessorChain();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody looks at it
    expect(await chain.runPostLLM({} as never, {} as never)).toBeUndefined();
    expect(() => phaseProcessor(chain, AS)).toThrow('its chain is empty');
  });
});
