// A processor of somebody else's that breaks the wire in every way that we could think of, against the real orchestrator: it ends its own
// run at most, by a code, with nothing of what it forged; whoever comes next is served. Here: what it does in a session.
import { useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { GO_ON, MEBIBYTE, SAID, chunksOf, serviceOf, useAdversaries, type Adversary } from './hostile/run-adversary.ts';
import type { Json, Wire } from './hostile/scripted-wire.ts';

const nats = useNats();
const adversaries = useAdversaries(nats);
const ofRun = (runId: string, text: string): Json => ({
  type: 'text-delta',
  runId,
  from: 'AGENT',
  payload: { id: 'forged', text },
});

describe('a processor of the stream', () => {
  const opened = (call: Json, wire: Wire): Json => ({
    opened: true,
    service: serviceOf(call),
    replica: wire.replica,
    served: 1,
  });
  /** Passes everything on, but what `twist` makes of the right answer; a batch in the open request is passed on. */
  const streaming = (twist: (right: Json, batch: Json, wire: Wire) => readonly unknown[]): Adversary => {
    const sessions = new Map<unknown, { sequence: number; processed: number }>();
    return {
      stage: 'processOutputStream',
      timeoutMs: 1_500,
      call(call, wire) {
        const output = { chunks: call['chunks'] ?? [], verdicts: [GO_ON], ms: [0] };
        sessions.set(call['session'], { sequence: 0, processed: 0 });
        wire.reply({ ...opened(call, wire), ...(call['end'] === true && { output }) });
      },
      batch(batch, wire) {
        const session = sessions.get(batch['session']);
        if (!session || batch['drop'] === true) return;
        session.processed += chunksOf(batch).length;
        const end = batch['end'] === true ? { verdicts: [GO_ON], ms: [0] } : {};
        const right = {
          session: batch['session'],
          sequence: session.sequence,
          processed: session.processed,
          chunks: batch['chunks'],
          ...end,
        };
        for (const message of twist(right, batch, wire)) {
          wire.out(message);
          session.sequence += 1;
        }
      },
    };
  };

  test('that passes everything on lets its run finish: what follows is about its twists alone', async () => {
    const { result } = await adversaries.run(streaming((right) => [right]));
    expect(result).toMatchObject({ status: 'finished', text: SAID });
  });

  const fails: [string, RegExp, Adversary][] = [
    ['answers with garbage', /./, streaming(() => ['{"forged"'])],
    ['answers each batch twice', /^session-lost$/, streaming((right) => [right, right])],
    ['leaves numbers out', /^session-lost$/, streaming((right) => [{ ...right, sequence: 7 }])],
    [
      'never says that it has processed anything',
      /^(processor-timeout|session-lost)$/,
      streaming((right) => [{ ...right, processed: 0, verdicts: undefined, chunks: [] }]),
    ],
    [
      'ends well before its end',
      /^session-lost$/,
      streaming((right) => [{ ...right, verdicts: [GO_ON], ms: [0], chunks: [] }]),
    ],
    [
      'counts one chunk as processed and no more',
      /^(processor-timeout|session-lost)$/,
      streaming((right) => [{ ...right, processed: 1 }]),
    ],
    [
      'gives more verdicts than it serves entries',
      /^processor-verdict-refused$/,
      streaming((right) => ('verdicts' in right ? [{ ...right, verdicts: [GO_ON, GO_ON], ms: [0, 0] }] : [right])),
    ],
    [
      'names chunks that it was not sent',
      /^processor-failed$/,
      streaming((right) => [{ ...right, chunks: [], same: { from: 0, count: 100_000 } }]),
    ],
    [
      'makes a retract',
      /./,
      streaming((right) => [
        { ...right, chunks: [{ type: 'retract', runId: 'r', from: 'AGENT', payload: { index: 0 } }] },
      ]),
    ],
    [
      'makes a second finish',
      /./,
      streaming((right) => [
        {
          ...right,
          chunks: [
            {
              type: 'finish',
              runId: 'r',
              from: 'AGENT',
              payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
            },
          ],
        },
      ]),
    ],
    [
      'floods its run',
      /^(processor-failed|message-too-large|session-lost|model-answer-too-large)$/,
      streaming((right, batch) =>
        Array.from({ length: 40 }, (_, at) => ({
          ...right,
          sequence: Number(right['sequence']) + at,
          verdicts: undefined,
          ms: undefined,
          chunks: [ofRun(String(batch['session']), 'f'.repeat(2 * MEBIBYTE))],
        })),
      ),
    ],
    [
      'is gone as soon as it has opened',
      /./,
      {
        stage: 'processOutputStream',
        timeoutMs: 1_500,
        call: (call, wire) => {
          wire.reply(opened(call, wire));
          wire.die();
        },
      },
    ],
  ];
  test.each(fails)('that %s fails its run by a code', async (_name, code, wire) => {
    const { chunks, result, path } = await adversaries.run(wire);
    expect(result).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(code) } });
    // What it made of the model's answer is too large for the step, whoever made it so: then no processor is named.
    expect([path, undefined]).toContain(result.error?.path);
    expect(chunks.at(-1)).toMatchObject({ type: 'error' });
    expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(JSON.stringify(result).length).toBeLessThan(MEBIBYTE);
    await adversaries.stillServing();
  });

  const passes: [string, Adversary][] = [
    ['counts more as processed than there was', streaming((right) => [{ ...right, processed: 1_000_000_000 }])],
    ['says that it is closing, and serves on', streaming((right) => [{ ...right, closing: true }])],
    [
      'sends two thousand heartbeats',
      streaming((right) => [
        ...Array.from({ length: 2_000 }, (_, at) => ({
          ...right,
          sequence: Number(right['sequence']) + at,
          // The chunks of the batch follow with its count: a heartbeat that counts them first would end a step without them.
          processed: 0,
          chunks: [],
          verdicts: undefined,
          ms: undefined,
        })),
        { ...right, sequence: Number(right['sequence']) + 2_000 },
      ]),
    ],
    [
      'writes into the sessions of others',
      streaming((right, _batch, wire) => {
        for (const other of ['another', 'x'.repeat(60), 'c-1'])
          wire.publish(`${adversaries.prefix()}.out.${other}.${other}`, {
            ...right,
            session: other,
            chunks: [ofRun('r', 'forged')],
          });
        return [right];
      }),
    ],
  ];
  test.each(passes)('that %s lets its run finish', async (_name, wire) => {
    const { chunks, result } = await adversaries.run(wire);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify(chunks)).not.toContain('forged');
    await adversaries.stillServing();
  });

  test('that says that it changes nothing, and masks a word, fails its run by a code; nothing of what it made comes out', async () => {
    const masking = streaming((right) => [JSON.parse(JSON.stringify(right).replaceAll('more', 'forged'))]);
    const { chunks, result, path } = await adversaries.run({ ...masking, changes: { processOutputStream: 'never' } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'processor-verdict-refused', path } });
    expect(JSON.stringify([chunks, result])).not.toContain('forged');
    await adversaries.stillServing();
  });

  test('that says that it changes nothing, and does not, lets its run finish', async () => {
    const { result } = await adversaries.run({
      ...streaming((right) => [right]),
      changes: { processOutputStream: 'never' },
    });
    expect(result).toMatchObject({ status: 'finished', text: SAID });
  });

  test('that gives chunks another run’s id gives them to its own run alone', async () => {
    const renamed = streaming((right) => [
      { ...right, chunks: chunksOf(right).map((chunk) => ({ ...chunk, runId: 'another-run', from: 'SYSTEM' })) },
    ]);
    const { chunks, result } = await adversaries.run(renamed);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify(chunks)).not.toContain('another-run');
  });
});
