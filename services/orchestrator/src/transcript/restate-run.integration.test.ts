// Text that processors change after it was streamed is retracted and published anew, so that the joined text of every
// reader is the text of the result: live, in a replay, and after a takeover at any point.
import {
  buildTextMessage,
  type Agent,
  type ChunkBatch,
  type MessageOp,
  type PlanEntry,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { driveRun } from '../takeover/drive-run.ts';
import { readVisible } from './logged-chunks.ts';
import { createRunStop } from '../state/run-stop.ts';
import { makeText, listTypes } from '../testing/chunks.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { maskingProcessor } from '../testing/masking-processor.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import type { Say } from '../testing/scripted-model.ts';
import { listShown } from '../testing/shown-chunks.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const odd = defineProcessor({
  id: 'odd',
  description: 'masks pieces of text and no messages, or changes the finish, or adds text outside of the answer',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.enum(['pieces', 'finish', 'adds', 'total']) }),
  create: ({ does }) => ({
    id: 'odd',
    processOutputStream: async ({ part }) => {
      const mask = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('Ada', '***'));
      if (does === 'pieces' && part.type === 'text-delta') return mask(part);
      if (does === 'finish' && part.type === 'finish') return mask(part);
      if (does === 'total' && part.type === 'finish')
        return { ...part, payload: { ...part.payload, output: { ...part.payload.output, text: 'In short.' } } };
      if (does === 'adds' && part.type === 'tool-result')
        return [{ ...part, type: 'text-delta', payload: { id: 'more', text: ' Buy more.' } }, part];
      return part;
    },
  }),
});
useProcessors(nats, [maskingProcessor('mask'), odd], 'masks');
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, serveTool } = useSuspendedRuns(stream);

const mask = planEntry('mask', { service: 'masks', lists: ['output'], stages: ['processOutputStream'] });
const oddEntry = (does: string) =>
  planEntry('odd', { service: 'masks', lists: ['output'], stages: ['processOutputStream'], options: { does } });
const rewriter = (stage: Stage) =>
  planEntry('rewriter', { lists: ['output'], stages: [stage], reads: ['response'], attempts: 1 });
const steps: Say[] = [{ text: 'A secret. ', calls: lookCalls() }, { text: 'A wall.' }];

type Change = (ids: string[], text: string | undefined) => Verdict;
const replace =
  (place: number, text: string): Change =>
  (ids) => ({
    type: 'continue',
    changes: { ops: [{ op: 'replace', message: buildTextMessage(ids.at(place) ?? '', 'assistant', text) }] },
  });
const change = (...ops: MessageOp[]): Verdict => ({ type: 'continue', changes: { ops } });
const listIds = ({ conversation }: StageInput) => conversation?.entries.map(({ message }) => message.id) ?? [];

type Setting = { at?: Stage; release?: Agent['release']; more?: PlanEntry[]; agent?: Partial<Agent> };

function serveRewriter(at: Stage, by: Change): void {
  scriptReplica(connection.bus, at, ['rewriter'], ({ input }) => [by(listIds(input), input.text)]);
  serveTool(connection.bus, 'look', async () => ({ result: { seen: 'a wall' } }));
}

async function beginRun(by: Change, script: Say[], setting: Setting = {}) {
  const { at = 'processOutputResult', release, more = [], agent } = setting;
  serveRewriter(at, by);
  await connection.bus.nc.flush();
  const made = driver(...script);
  const plan = { ...makePlan([mask, ...more, rewriter(at)]), tools: [lookTool({ timeoutMs: 5_000 })] };
  return made.begin({ agent: await made.apply({ ...(release && { release }), ...agent }, plan) });
}

async function replay(run: DrivenRun): Promise<ChunkBatch[]> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { batches } = await readVisible(stream.access, head, { epoch: 1, index: 0 });
  return batches;
}

/** The texts that a live reader and a reader of the replay join, and that of the result. */
async function readTexts(run: DrivenRun): Promise<unknown[]> {
  const { result } = (await run.end()) ?? {};
  return [makeText(listShown(run.live)), makeText(listShown(await replay(run))), result?.text];
}
const three = (text: string) => [text, text, text];

describe.each(['chunk', 'step', 'result'] as const)('the stream of a run, with release: %s', (release) => {
  test.each<[string, Change, string]>([
    ['rewrites the last answer', replace(-1, 'Of ada@example.org.'), 'A secret. Of ***.'],
    ['rewrites an earlier answer', replace(0, 'Nothing. '), 'Nothing. A wall.'],
    ['removes an answer', ([id = '']) => change({ op: 'remove', ids: [id] }), 'A wall.'],
    [
      'adds a message',
      () => change({ op: 'add', source: 'response', message: buildTextMessage('m9', 'assistant', ' More.') }),
      'A secret. A wall. More.',
    ],
    [
      'moves an answer to the end',
      ([id = '']) =>
        change(
          { op: 'remove', ids: [id] },
          { op: 'add', source: 'response', message: buildTextMessage(id, 'assistant', ' Late.') },
        ),
      'A wall. Late.',
    ],
  ])('is the text of the result if processOutputResult %s', async (_what, by, text) => {
    const run = await beginRun(by, steps, { release });
    await run.drive();
    expect(await readTexts(run)).toEqual(three(text));
  });

  test('is the text of the result if processOutputStep rewrites an answer before a tool is called', async () => {
    const by: Change = (_ids, text) => ({ type: 'continue', changes: text === 'A secret. ' ? { text: 'Hm. ' } : {} });
    const run = await beginRun(by, steps, { release, at: 'processOutputStep' });
    await run.drive();
    expect(await readTexts(run)).toEqual(three('Hm. A wall.'));
    expect(listTypes(listShown(run.live)).filter((type) => type === 'tool-call')).toHaveLength(1);
  });

  test.each<[string, string, string]>([
    ['masks the messages of the finish alone', 'finish', '***. It is Bob.'],
    ['adds text outside of an answer', 'adds', 'Ada. It is Bob.'],
    ['writes another text into the finish', 'total', 'In short.'],
  ])('is the text of the result if a processor of the stream %s', async (_what, does, text) => {
    const run = await beginRun(() => goOn, [{ text: 'Ada. ', calls: lookCalls() }, { text: 'It is Bob.' }], {
      release,
      more: [oddEntry(does)],
    });
    await run.drive();
    expect((await run.end())?.result).toMatchObject({ status: 'finished', text });
    expect(await readTexts(run)).toEqual(three(text));
  });

  test('has the late text as the processors of the stream left it, although they judge pieces only', async () => {
    const run = await beginRun(replace(-1, 'Ask Ada.'), steps, { release, more: [oddEntry('pieces')] });
    await run.drive();
    expect(await readTexts(run)).toEqual(three('A secret. Ask ***.'));
    expect(JSON.stringify([run.live, await run.end()])).not.toContain('Ada');
  });

  test('has no retract if no processor changes the text', async () => {
    const same: Change = ([id = '']) =>
      change({ op: 'replace', message: { ...buildTextMessage(id, 'assistant', 'A wall.'), createdAt: '2026-01-01' } });
    const run = await beginRun(same, [{ text: 'A wall.' }], { release });
    await run.drive();
    expect(await readTexts(run)).toEqual(three('A wall.'));
    expect(listTypes(run.chunks())).not.toContain('retract');
    expect(listTypes(run.chunks()).filter((type) => type === 'text-delta')).toHaveLength(1);
  });
});

test('late text that the output chain stops ends the run without it', async () => {
  const run = await beginRun(replace(-1, 'a forbidden word'), steps);
  await run.drive();
  expect(await run.end()).toMatchObject({ result: { status: 'aborted', text: '' } });
  expect(makeText(listShown(run.live))).toBe('');
});

test('the first index of the retract is that of the first step that differs', async () => {
  const run = await beginRun(replace(-1, 'Nothing.'), steps);
  await run.drive();
  const chunks = run.chunks();
  const retracts = chunks.flatMap((part) => (part.type === 'retract' ? [part.payload.index] : []));
  const second = chunks.findIndex((part, at) => part.type === 'step-start' && at > 1);
  expect(retracts).toEqual([second]);
});

test('chunks around a changed answer are published again, and an object only in its last form', async () => {
  const agent = { structuredOutput: { schema: { type: 'object' } } };
  const run = await beginRun(replace(-1, '{"name":"A."}'), [{ text: '{"name":"Ada"}' }], { agent });
  await run.drive();
  expect(await readTexts(run)).toEqual(three('{"name":"A."}'));
  const shown = listShown(run.live);
  expect(shown.flatMap((part) => (part.type === 'object-result' ? [part.object] : []))).toEqual([{ name: 'A.' }]);
  expect(listTypes(shown).filter((type) => type.startsWith('step-'))).toEqual(['step-start', 'step-finish']);
});

describe('a takeover of a run with a changed answer', () => {
  type At = 'stored' | 'shown';
  /** Access of an owner that hangs after its state has the change, or before the end of the run is stored. */
  function hangAt(at: At) {
    const reached = Promise.withResolvers<void>();
    const hanging = Promise.withResolvers<void>();
    const { access } = stream;
    const publish: typeof access.js.publish = async (subject, payload, options) => {
      const json = Buffer.from(payload ?? '').toString();
      const isHeld = at === 'shown' && subject.includes('.end.');
      if (isHeld) {
        reached.resolve();
        await hanging.promise;
      }
      const acked = await access.js.publish(subject, payload, options);
      isRestated ||= json.includes('answer-restated');
      if (at === 'shown' || !isRestated || !subject.includes('.head.')) return acked;
      reached.resolve();
      await hanging.promise;
      return acked;
    };
    let isRestated = false;
    const js = new Proxy(access.js, {
      get: (target, name) => (name === 'publish' ? publish : Reflect.get(target, name)),
    });
    return {
      access: { ...access, js },
      reached: reached.promise,
      goOn: hanging.resolve,
    };
  }

  test.each<[NonNullable<Agent['release']>, At]>([
    ['chunk', 'stored'],
    ['chunk', 'shown'],
    ['step', 'stored'],
    ['step', 'shown'],
  ])('with release: %s leaves the final text to each reader, if the lost owner had it %s', async (release, at) => {
    serveRewriter('processOutputResult', replace(0, 'Nothing. '));
    await connection.bus.nc.flush();
    const { access, reached, goOn: wake } = hangAt(at);
    const first = createDriver({ access }, ...steps);
    const plan = { ...makePlan([mask, rewriter('processOutputResult')]), tools: [lookTool({ timeoutMs: 5_000 })] };
    const run = await first.begin({ agent: await first.apply({ release }, plan) });
    const driving = run.drive().catch(() => undefined);
    await reached;
    await connection.bus.nc.flush();
    expect(makeText(listShown(run.live))).toBe(at === 'shown' ? 'Nothing. A wall.' : 'A secret. A wall.');
    run.fence();

    const second = driver({ text: 'never asked' });
    await driveRun(second.deps, run.delivery, createRunStop());
    await connection.bus.nc.flush();
    expect(await readTexts(run)).toEqual(three('Nothing. A wall.'));
    expect(second.asked).toEqual([]);
    expect(listTypes(listShown(run.live)).filter((type) => type === 'step-finish')).toHaveLength(2);
    wake();
    await driving;
    expect((await run.end())?.result.text).toBe('Nothing. A wall.');
  });
});
