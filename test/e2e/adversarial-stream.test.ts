// An adversarial processor breaks the protocol against the real orchestrator in every known way: it ends at most its
// own run, with a code and without forged content; later runs are served. This file covers its sessions.
import { listChunks, makeOpened, passStream, useNats, type StreamTwist, type WireJson } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { GO_ON, MEBIBYTE, PATIENT_MS, SAID, useAdversaries, type Adversary } from './hostile/run-adversary.ts';

const nats = useNats();
const adversaries = useAdversaries(nats);
const NEVER = { changes: { processOutputStream: 'never' } };
const makeDelta = (runId: string, text: string): WireJson => ({
  type: 'text-delta',
  runId,
  from: 'AGENT',
  payload: { id: 'forged', text },
});

describe('an adversarial processor of the stream', () => {
  const streaming = (twist?: StreamTwist): Adversary => ({ stage: 'processOutputStream', ...passStream(twist) });

  /** Counts each chunk as processed at once, and sends all of them when the step ends. */
  const sendAllAtEnd = (): Adversary => {
    const held: unknown[] = [];
    return streaming((right, batch) => {
      held.push(...listChunks(batch));
      return [{ ...right, processed: 1_000_000_000, chunks: 'verdicts' in right ? held : [] }];
    });
  };

  test('a processor that passes everything lets its run finish, so the following tests depend on their twist alone', async () => {
    const { result } = await adversaries.run(streaming(), PATIENT_MS);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
  });

  const fails: [string, RegExp, Adversary][] = [
    ['answers with garbage', /./, streaming(() => ['{"forged"'])],
    [
      'answers each batch twice',
      /^session-lost$/,
      streaming((right) => [{ ...right, verdicts: undefined, ms: undefined }, right]),
    ],
    ['leaves numbers out', /^session-lost$/, streaming((right) => [{ ...right, sequence: 7 }])],
    [
      'never reports a processed chunk',
      /^(processor-timeout|session-lost)$/,
      streaming((right) => [{ ...right, processed: 0, verdicts: undefined, chunks: [] }]),
    ],
    [
      'ends successfully before the end',
      /^session-lost$/,
      streaming((right) => [{ ...right, verdicts: [GO_ON], ms: [0], chunks: [] }]),
    ],
    [
      'counts only one chunk as processed',
      /^(processor-timeout|session-lost)$/,
      streaming((right) => [{ ...right, processed: 1 }]),
    ],
    [
      'returns more verdicts than it serves entries',
      /^processor-verdict-refused$/,
      streaming((right) => ('verdicts' in right ? [{ ...right, verdicts: [GO_ON, GO_ON], ms: [0, 0] }] : [right])),
    ],
    [
      'references chunks that it did not receive',
      /^processor-failed$/,
      streaming((right) => [{ ...right, chunks: [], same: { from: 0, count: 100_000 } }]),
    ],
    ['counts chunks as processed and sends them after the end of the step', /^processor-failed$/, sendAllAtEnd()],
    [
      'makes a retract',
      /./,
      streaming((right) => [
        { ...right, chunks: [{ type: 'retract', runId: 'r', from: 'AGENT', payload: { index: 0 } }] },
      ]),
    ],
    [
      'creates a second finish',
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
  ];
  // A flood drops the orchestrator's connection, so these rows run alone.
  const disconnecting: typeof fails = [
    [
      'floods its run',
      /^(processor-failed|message-too-large|session-lost|model-answer-too-large)$/,
      streaming((right, batch) =>
        Array.from({ length: 40 }, (_, at) => ({
          ...right,
          sequence: Number(right['sequence']) + at,
          verdicts: undefined,
          ms: undefined,
          chunks: [makeDelta(String(batch['session']), 'f'.repeat(2 * MEBIBYTE))],
        })),
      ),
    ],
    [
      'disconnects as soon as it has opened the session',
      /./,
      {
        stage: 'processOutputStream',
        call: (_call, wire) => {
          wire.reply(makeOpened(wire));
          wire.die();
        },
      },
    ],
  ];
  /** Returns the result after the assertions that apply to every failed run. */
  async function runFailing(wire: Adversary) {
    const { chunks, result, path } = await adversaries.run(wire);
    // The output is too large for the step in total, so the error names no processor.
    expect([path, undefined]).toContain(result.error?.path);
    expect(chunks.at(-1)).toMatchObject({ type: 'error' });
    expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(JSON.stringify(result).length).toBeLessThan(MEBIBYTE);
    await adversaries.stillServing();
    return result;
  }
  const withCode = (code: RegExp) => ({ status: 'failed', error: { code: expect.stringMatching(code) } });
  test.concurrent.each(fails)('a processor that %s fails its run with a code', async (_name, code, wire) => {
    expect(await runFailing(wire)).toMatchObject(withCode(code));
  });
  test.each(disconnecting)('a processor that %s fails its run with a code', async (_name, code, wire) => {
    expect(await runFailing(wire)).toMatchObject(withCode(code));
  });

  const passes: [string, Adversary][] = [
    [
      'counts more chunks as processed than it received',
      // Not between the first message and the last one: if the orchestrator ends the step because of the count, the run fails.
      streaming((right) => [
        right['sequence'] === 0 || 'verdicts' in right ? { ...right, processed: 1_000_000_000 } : right,
      ]),
    ],
    ['reports that it is closing and continues to serve', streaming((right) => [{ ...right, closing: true }])],
    [
      'sends two thousand heartbeats',
      streaming((right) => [
        ...Array.from({ length: 2_000 }, (_, at) => ({
          ...right,
          sequence: Number(right['sequence']) + at,
          // The chunks of the batch follow with its count: an earlier heartbeat with that count would end a step
          // without them.
          processed: 0,
          chunks: [],
          verdicts: undefined,
          ms: undefined,
        })),
        { ...right, sequence: Number(right['sequence']) + 2_000 },
      ]),
    ],
    [
      'publishes to other sessions',
      streaming((right, _batch, wire) => {
        for (const other of ['another', 'x'.repeat(60), 'c-1'])
          wire.publish(`${adversaries.prefix()}.out.${other}.${other}`, {
            ...right,
            session: other,
            chunks: [makeDelta('r', 'forged')],
          });
        return [right];
      }),
    ],
  ];
  test.each(passes)('a processor that %s lets its run finish', async (_name, wire) => {
    const { chunks, result } = await adversaries.run(wire, PATIENT_MS);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify(chunks)).not.toContain('forged');
    await adversaries.stillServing();
  });

  test('a processor that declares no changes and masks a word fails its run with a code, and none of its chunks is published', async () => {
    const masking = streaming((right) => [JSON.parse(JSON.stringify(right).replaceAll('more', 'forged'))]);
    const { chunks, result, path } = await adversaries.run({ ...masking, descriptor: NEVER });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'processor-verdict-refused', path } });
    expect(JSON.stringify([chunks, result])).not.toContain('forged');
    await adversaries.stillServing();
  });

  test('a processor that declares no changes and makes none lets its run finish', async () => {
    const { result } = await adversaries.run({ ...streaming(), descriptor: NEVER });
    expect(result).toMatchObject({ status: 'finished', text: SAID });
  });

  test("a processor that sets another run's id on chunks sends them to its own run only", async () => {
    const renamed = streaming((right) => [
      { ...right, chunks: listChunks(right).map((chunk) => ({ ...chunk, runId: 'another-run', from: 'SYSTEM' })) },
    ]);
    const { chunks, result } = await adversaries.run(renamed);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify(chunks)).not.toContain('another-run');
  });
});
