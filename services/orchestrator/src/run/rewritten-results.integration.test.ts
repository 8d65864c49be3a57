// An answer that processOutputResult changes is the run's result in all of its forms: text, messages, object, also
// after a suspension in between.
import {
  buildTextMessage,
  type Agent,
  type MessageOp,
  type PlanEntry,
  type Stage,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { makeText, listTypes } from '../testing/chunks.ts';
import { framelessProcessor } from '../testing/frameless-processor.ts';
import { ask } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { maskingProcessor } from '../testing/masking-processor.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import type { Say } from '../testing/scripted-model.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
useProcessors(nats, [maskingProcessor('mask'), framelessProcessor], 'masks');
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, orchestrator, becomes, pending, resume, serveTool } = useSuspendedRuns(stream);

const stage = 'processOutputResult';
const mask = planEntry('mask', { service: 'masks', lists: ['output'], stages: ['processOutputStream'] });
const redactor = planEntry('redactor', { lists: ['output'], stages: [stage], reads: ['response'], attempts: 1 });
const frameless = () =>
  planEntry('frameless', { service: 'masks', lists: ['output'], stages: ['processOutputStream'] });
const gate = planEntry('gate', { lists: ['output'], stages: [stage], attempts: 1 });

/** The redactor's action on the run's answer. */
type Redact = (id: string) => MessageOp;
const say =
  (text: string): Redact =>
  (id) => ({ op: 'replace', message: buildTextMessage(id, 'assistant', text) });
const remove: Redact = (id) => ({ op: 'remove', ids: [id] });

function serve(name: string, answer: (call: StageCall) => Verdict) {
  scriptReplica(connection.bus, stage, [name], (call) => [answer(call)]);
}

async function beginRun(text: string, redact: Redact, agent: Partial<Agent>, entries = [mask, redactor]) {
  serve('redactor', ({ input }) => {
    const id = input.conversation?.entries[0]?.message.id ?? '';
    return { type: 'continue', changes: { ops: [redact(id)] } };
  });
  serve('gate', (call) => (call.entries[0]?.resumeData === undefined ? ask() : goOn));
  await connection.bus.nc.flush();
  const { begin, apply } = driver({ text });
  const run = await begin({ agent: await apply(agent, makePlan(entries)) });
  await run.drive();
  return run;
}

/** Answers the question of the gate: another orchestrator continues the run. */
async function answerGate(run: Awaited<ReturnType<typeof beginRun>>) {
  await becomes(run, 'suspended');
  orchestrator({ text: 'never said' });
  await resume(run, (await pending(run))[0]?.resumeToken ?? '', true);
}

describe('the object of a run', () => {
  const agent = { structuredOutput: { schema: { type: 'object' } } };

  const schema = { type: 'object', required: ['name'] };
  const broken = say('{"NAME":"ADA"}');

  test.each(['chunk', 'result'] as const)('fails the run if an entry breaks it, with release: %s', async (release) => {
    const run = await beginRun('{"name":"ada"}', broken, { release, structuredOutput: { schema } });
    const { result } = (await run.end()) ?? {};
    const error = { code: 'object-broken', path: 'processOutputResult/redactor' };
    expect(result).toMatchObject({ status: 'failed', error });
    expect(JSON.stringify(result)).not.toMatch(/ADA|"object":/);
  });

  test('fails the resumed run without a name if an entry broke it before a suspension', async () => {
    const run = await beginRun('{"name":"ada"}', broken, { structuredOutput: { schema } }, [mask, redactor, gate]);
    await answerGate(run);
    await becomes(run, 'failed');
    expect((await run.end())?.result.error).toMatchObject({ code: 'object-broken', path: 'processOutputResult' });
  });

  test('is that of the text that processOutputResult left, as it passed the output chain', async () => {
    const run = await beginRun('{"name":"ada"}', say('{"name":"A.","mail":"ada@example.org"}'), agent);
    const { result } = (await run.end()) ?? {};
    expect(result).toMatchObject({ status: 'finished', text: '{"name":"A.","mail":"***"}' });
    expect(result?.object).toEqual({ name: 'A.', mail: '***' });
    const objects = run.chunks().flatMap((part) => (part.type === 'object-result' ? [part.object] : []));
    expect(objects.at(-1)).toEqual(result?.object);
  });

  test.each([
    ['is taken out', remove],
    ['becomes prose', say('Nothing to tell.')],
  ])('is absent if the answer %s', async (_what, redact) => {
    const run = await beginRun('{"name":"ada"}', redact, agent);
    const end = await run.end();
    expect(end).toMatchObject({ result: { status: 'finished' } });
    expect(end?.result).not.toHaveProperty('object');
    expect(JSON.stringify(end)).not.toMatch(/\bada\b/);
  });
});

test.each([
  ['rewritten', say('It is a secret of ada@example.org.'), 'It is a secret of ***.'],
  ['taken out', remove, ''],
])('an answer that was %s before a suspension is the result after the resumption', async (_what, redact, text) => {
  const run = await beginRun('It is ada.', redact, {}, [mask, redactor, gate]);
  await answerGate(run);
  await becomes(run, 'finished');
  const end = await run.end();
  expect(end?.result.text).toBe(text);
  expect(end?.result.messages).toHaveLength(text === '' ? 0 : 1);
  expect(JSON.stringify(end)).not.toContain('It is ada');
});

describe('a buffered answer that is changed', () => {
  const ids = ({ conversation }: StageInput) => conversation?.entries.map(({ message }) => message.id) ?? [];
  const rewriter = (stage: Stage) =>
    planEntry('rewriter', { lists: ['output'], stages: [stage], reads: ['response'], attempts: 1 });
  const shownBy = async (
    release: Agent['release'],
    judged: Stage,
    verdict: (id: string, ids: string[]) => Verdict,
    script: Say[],
    more: PlanEntry[] = [],
  ) => {
    scriptReplica(connection.bus, judged, ['rewriter'], ({ input }) => [
      verdict(input.messageId ?? ids(input)[0] ?? '', ids(input)),
    ]);
    serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
    await connection.bus.nc.flush();
    const { begin, apply } = driver(...script);
    const plan = { ...makePlan([mask, ...more, rewriter(judged)]), tools: [lookTool({ timeoutMs: 5_000 })] };
    const run = await begin({ agent: await apply({ release }, plan) });
    await run.drive();
    return run;
  };
  const text = (words: string): Verdict => ({ type: 'continue', changes: { text: words } });

  test.each(['step', 'result'] as const)(
    'by processOutputStep is published in its changed form, through the output chain, with release: %s',
    async (release) => {
      const run = await shownBy(release, 'processOutputStep', () => text('Of ada@example.org.'), [
        { text: 'A secret.' },
      ]);
      expect(makeText(run.chunks())).toBe('Of ***.');
      expect(listTypes(run.chunks())).toEqual([
        'start',
        'step-start',
        'text-start',
        'text-delta',
        'text-end',
        'step-finish',
        'finish',
      ]);
      expect(await run.end()).toMatchObject({ result: { text: 'Of ***.' } });
      expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
    },
  );

  test('by processOutputStep with a call shows the call that is made, and its result after it', async () => {
    const verdict: Verdict = {
      type: 'continue',
      changes: { toolCalls: [{ toolCallId: 'c1', toolName: 'look', args: { at: 'a wall' } }] },
    };
    const script = [{ text: 'Let me see.', calls: lookCalls('{"at":"a secret"}') }, { text: 'Nothing.' }];
    let asked = 0;
    const run = await shownBy(
      'step',
      'processOutputStep',
      () => (asked++ === 0 ? verdict : { type: 'continue' }),
      script,
    );
    const calls = run.chunks().flatMap((part) => (part.type === 'tool-call' ? [part.payload.args] : []));
    expect(calls).toEqual([{ at: 'a wall' }]);
    expect(listTypes(run.chunks()).filter((type) => type === 'tool-result')).toHaveLength(1);
    expect(makeText(run.chunks())).toBe('Let me see.Nothing.');
    expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
  });

  test.each([
    [
      'rewrites',
      (id: string): Verdict => ({ type: 'continue', changes: { ops: [say('Of ada@example.org.')(id)] } }),
      'Of ***.A wall.',
    ],
    ['takes out', (id: string): Verdict => ({ type: 'continue', changes: { ops: [remove(id)] } }), 'A wall.'],
  ])(
    'by processOutputResult, which %s an answer, is published in its changed form with release: result',
    async (_what, verdict, words) => {
      const script = [{ text: 'A secret.', calls: lookCalls('{"at":"a secret"}') }, { text: 'A wall.' }];
      const run = await shownBy('result', 'processOutputResult', verdict, script);
      expect(makeText(run.chunks())).toBe(words);
      expect(listTypes(run.chunks()).filter((type) => type === 'step-finish')).toHaveLength(2);
      expect(await run.end()).toMatchObject({ result: { text: words } });
      expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
    },
  );

  test('and then stopped by the output chain is published to no reader', async () => {
    const run = await shownBy('step', 'processOutputStep', () => text('a forbidden word'), [{ text: 'A secret.' }]);
    expect(listTypes(run.chunks())).toEqual(['start', 'tripwire']);
    expect(JSON.stringify([run.chunks(), await run.end()])).not.toMatch(/secret|forbidden word"/);
  });

  test('is rebuilt although the output chain drops the beginning of its step', async () => {
    const script = [{ text: 'A secret.' }];
    const run = await shownBy('step', 'processOutputStep', () => text('Nothing.'), script, [frameless()]);
    expect(makeText(run.chunks())).toBe('Nothing.');
    expect(listTypes(run.chunks())).not.toContain('step-start');
  });

  test('by processOutputResult has the object of its current text only', async () => {
    const agent = { release: 'result' as const, structuredOutput: { schema: { type: 'object' } } };
    const run = await beginRun('{"name":"ada"}', say('{"name":"A."}'), agent);
    const objects = run.chunks().flatMap((part) => (part.type === 'object-result' ? [part.object] : []));
    expect(objects).toEqual([{ name: 'A.' }]);
    expect(JSON.stringify([run.chunks(), await run.end()])).not.toMatch(/\bada\b/);
  });

  test.each([
    ['steps begin', {}],
    ['the second one begins', { of: '.1"' }],
    ['the second one begins and ends', { types: ['step-start', 'step-finish'], of: '.1"' }],
    ['the first one ends and the second one begins', { types: ['step-start', 'step-finish'] }],
  ])('by processOutputResult is rebuilt although the output chain drops %s', async (_where, options) => {
    const dropping = { ...frameless(), options };
    const script = [{ text: 'Let me see.', calls: lookCalls() }, { text: 'A secret.' }];
    const rewrite = (_id: string, given: string[]): Verdict => ({
      type: 'continue',
      changes: { ops: [say('Nothing.')(given.at(-1) ?? '')] },
    });
    const run = await shownBy('result', 'processOutputResult', rewrite, script, [dropping]);
    expect(await run.end()).toMatchObject({ result: { text: 'Let me see.Nothing.' } });
    expect(makeText(run.chunks())).toBe('Let me see.Nothing.');
    expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
  });

  test.each<Stage>(['processOutputStep', 'processInputStep'])(
    'by %s of a later step is published in its changed form',
    async (stage) => {
      const script = [{ text: 'A secret.', calls: lookCalls() }, { text: 'A wall.' }];
      let asked = 0;
      const rewrite = (_id: string, given: string[]): Verdict => {
        const first = given.find((id) => id.endsWith('.0'));
        return asked++ === 0 || first === undefined
          ? goOn
          : { type: 'continue', changes: { ops: [say('Of ada@example.org.')(first)] } };
      };
      const run = await shownBy('result', stage, rewrite, script);
      expect(await run.end()).toMatchObject({ result: { text: 'Of ***.A wall.' } });
      expect(makeText(run.chunks())).toBe('Of ***.A wall.');
      expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
    },
  );

  test('stays as it is if processOutputResult only adds messages, which follow it', async () => {
    const message = buildTextMessage('added', 'assistant', 'One word more.');
    const add = (): Verdict => ({ type: 'continue', changes: { ops: [{ op: 'add', source: 'response', message }] } });
    const run = await shownBy('result', 'processOutputResult', add, [{ text: 'A wall.' }]);
    expect(await run.end()).toMatchObject({ result: { text: 'A wall.One word more.' } });
    const parts = run.chunks().flatMap((part) => (part.type === 'text-delta' ? [part.payload] : []));
    expect(parts.map(({ id, text }) => [id, text])).toEqual([
      ['t', 'A wall.'],
      ['added.0', 'One word more.'],
    ]);
  });

  test('by a processor that halts the run afterwards is published in its changed form', async () => {
    const script = [{ text: 'A secret.', calls: lookCalls() }, { text: 'A wall.' }];
    let asked = 0;
    const halt = (_id: string, [first = '']: string[]): Verdict =>
      asked++ === 0
        ? goOn
        : { type: 'halt', response: 'Enough.', changes: { ops: [say('Of ada@example.org.')(first)] } };
    const run = await shownBy('result', 'processOutputStep', halt, script);
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Enough.' } });
    expect(makeText(run.chunks())).toBe('Of ***.Enough.');
    expect(JSON.stringify([run.chunks(), await run.end()])).not.toContain('secret');
  });
});
