// An adversarial processor breaks the protocol against the real orchestrator in every known way: it ends at most its
// own run, with a code and without forged content; later runs are served. This file covers the answers to a stage call.
import { setTimeout as delay } from 'node:timers/promises';
import { makeReply, useNats, type WireScript } from '@millrace/testkit';
import { headers } from 'nats';
import { describe, expect, test } from 'vitest';
import { joinText } from './collect.ts';
import {
  GO_ON,
  MEBIBYTE,
  PATIENT_MS,
  SAID,
  readRunId,
  useAdversaries,
  type Adversary,
} from './hostile/run-adversary.ts';

const nats = useNats();
const adversaries = useAdversaries(nats);
const forged = { type: 'halt', response: 'forged' };

describe('an adversarial processor of a stage', () => {
  const makeAdversary = (call: WireScript['call']): Adversary => ({
    stage: 'processInput',
    call,
  });
  const fails: [string, string, RegExp, Adversary][] = [
    [
      'answers after its timeout',
      'the run fails, and the late answer is ignored',
      /^processor-timeout$/,
      makeAdversary(async (_call, wire) => {
        await delay(1_600);
        wire.reply(makeReply(wire, forged));
      }),
    ],
    ['never answers', 'the run fails within the timeout', /^processor-timeout$/, makeAdversary(() => undefined)],
    [
      'answers garbage',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      makeAdversary((_call, wire) => wire.reply('{"verdicts": forged')),
    ],
    [
      'answers with an error in the headers of NATS services',
      'the run fails with it',
      /^service-failed$/,
      makeAdversary((_call, wire) => {
        const thrown = headers();
        thrown.set('Nats-Service-Error', 'forged: no such table');
        thrown.set('Nats-Service-Error-Code', '500');
        wire.reply('', thrown);
      }),
    ],
    [
      'answers with an unknown error code',
      'the run fails',
      /^(processor-failed|message-invalid)$/,
      makeAdversary((_call, wire) => wire.reply({ error: { code: 'made-up', message: 'forged' } })),
    ],
    [
      'returns a state that is not an object',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      makeAdversary((_call, wire) => wire.reply(makeReply(wire, { ...GO_ON, state: ['forged'] }))),
    ],
    [
      'returns a state that is not JSON',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      makeAdversary((_call, wire) =>
        wire.reply(
          `{"sequence":0,"verdicts":[{"type":"continue","state":{"forged":NaN}}],"ms":[0],"replica":"${wire.replica}"}`,
        ),
      ),
    ],
    [
      'changes a missing message',
      'the run fails',
      /^processor-verdict-refused$/,
      makeAdversary((_call, wire) =>
        wire.reply(
          makeReply(wire, {
            ...GO_ON,
            changes: {
              ops: [
                {
                  op: 'replace',
                  message: { id: 'forged', role: 'user', createdAt: 'now', content: { format: 2, parts: [] } },
                },
              ],
            },
          }),
        ),
      ),
    ],
    [
      'skips a sequence number of its answers',
      'the run fails',
      /^session-lost$/,
      makeAdversary((_call, wire) => wire.reply(makeReply(wire, forged, { sequence: 3 }))),
    ],
    [
      'floods its caller with progress',
      'the run fails',
      /^(processor-verdict-refused|processor-failed)$/,
      makeAdversary((call, wire) => {
        for (let sequence = 0; sequence < 5_000; sequence += 1)
          wire.reply({
            sequence,
            progress: [{ type: 'data-forged', runId: readRunId(call), from: 'AGENT', data: 'x' }],
            replica: wire.replica,
          });
        wire.reply(makeReply(wire, GO_ON, { sequence: 5_000 }));
      }),
    ],
    [
      'returns a state of 2 MiB',
      'the run fails',
      /^state-too-large$/,
      makeAdversary((_call, wire) =>
        wire.reply(makeReply(wire, { ...GO_ON, state: { held: 'x'.repeat(2 * MEBIBYTE) } })),
      ),
    ],
    [
      'returns a chunk of 2 MiB',
      'the run fails',
      /^(processor-verdict-refused|processor-failed)$/,
      makeAdversary((call, wire) => {
        wire.reply({
          sequence: 0,
          progress: [{ type: 'data-forged', runId: readRunId(call), from: 'AGENT', data: 'x'.repeat(2 * MEBIBYTE) }],
          replica: wire.replica,
        });
        wire.reply(makeReply(wire, GO_ON, { sequence: 1 }));
      }),
    ],
  ];
  test.concurrent.each(fails)('an adversarial processor that %s: %s', async (_name, _outcome, code, wire) => {
    const { chunks, result, path } = await adversaries.run(wire);
    expect(result).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(code), path } });
    expect(joinText(chunks)).toBe('');
    expect(chunks.at(-1)).toMatchObject({ type: 'error' });
    await adversaries.stillServing();
  });

  const passes: [string, Adversary][] = [
    [
      'answers twice: the first answer applies',
      makeAdversary((_call, wire) => [GO_ON, forged].forEach((verdict) => wire.reply(makeReply(wire, verdict)))),
    ],
    [
      'returns its input with changes: the changes are ignored',
      makeAdversary((call, wire) =>
        wire.reply(
          makeReply(wire, GO_ON, {
            ...call,
            input: { text: 'forged' },
            run: { runId: 'another-run', tenant: 'other' },
          }),
        ),
      ),
    ],
    [
      'answers in the name of another run and replica: the answer applies to this call',
      makeAdversary((_call, wire) => wire.reply(makeReply(wire, GO_ON, { replica: 'another', runId: 'another-run' }))),
    ],
    [
      'answers and disconnects before its answer is applied: the answer applies',
      makeAdversary((_call, wire) => {
        wire.reply(makeReply(wire, GO_ON));
        wire.die();
      }),
    ],
  ];
  test.concurrent.each(passes)('an adversarial processor that %s', async (_name, wire) => {
    const { chunks, result } = await adversaries.run(wire, PATIENT_MS);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify([chunks, result])).not.toContain('forged');
    await adversaries.stillServing();
  });
});
