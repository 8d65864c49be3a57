// A processor of somebody else's that breaks the wire in every way that we could think of, against the real orchestrator: it ends its own
// run at most, by a code, with nothing of what it forged; whoever comes next is served. Here: what it answers to a stage call.
import { useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { textOf } from './collect.ts';
import { GO_ON, MEBIBYTE, SAID, answerOf, runIdOf, useAdversaries, type Adversary } from './hostile/run-adversary.ts';
import type { WireScript } from './hostile/scripted-wire.ts';

const nats = useNats();
const adversaries = useAdversaries(nats);
const forged = { type: 'halt', response: 'forged' };

describe('a processor of a stage', () => {
  const asked = (call: WireScript['call']): Adversary => ({
    stage: 'processInput',
    timeoutMs: 1_500,
    call,
  });
  const fails: [string, string, RegExp, Adversary][] = [
    [
      'answers after its time',
      'the run fails, and the late answer counts for nothing',
      /^processor-timeout$/,
      asked((_call, wire) => void setTimeout(() => wire.reply(answerOf(wire, forged)), 1_600)),
    ],
    ['never answers', 'the run fails in its time', /^processor-timeout$/, asked(() => undefined)],
    [
      'answers garbage',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      asked((_call, wire) => wire.reply('{"verdicts": forged')),
    ],
    [
      'answers an exception by the headers of NATS services',
      'that is the run’s failure',
      /^service-failed$/,
      asked((_call, wire) => wire.throws('forged: no such table')),
    ],
    [
      'answers an error that nobody knows',
      'the run fails',
      /^(processor-failed|message-invalid)$/,
      asked((_call, wire) => wire.reply({ error: { code: 'made-up', message: 'forged' } })),
    ],
    [
      'has a state that is no object',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      asked((_call, wire) => wire.reply(answerOf(wire, { ...GO_ON, state: ['forged'] }))),
    ],
    [
      'has a state that is not JSON',
      'the run fails',
      /^(message-invalid|processor-failed)$/,
      asked((_call, wire) =>
        wire.reply(
          `{"sequence":0,"verdicts":[{"type":"continue","state":{"forged":NaN}}],"ms":[0],"replica":"${wire.replica}"}`,
        ),
      ),
    ],
    [
      'changes a message that is not there',
      'the run fails',
      /^processor-verdict-refused$/,
      asked((_call, wire) =>
        wire.reply(
          answerOf(wire, {
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
      'leaves a number of its answers out',
      'the run fails',
      /^session-lost$/,
      asked((_call, wire) => wire.reply(answerOf(wire, forged, { sequence: 3 }))),
    ],
    [
      'floods its caller with progress',
      'the run fails',
      /^(processor-verdict-refused|processor-failed)$/,
      asked((call, wire) => {
        for (let sequence = 0; sequence < 5_000; sequence += 1)
          wire.reply({
            sequence,
            progress: [{ type: 'data-forged', runId: runIdOf(call), from: 'AGENT', data: 'x' }],
            replica: wire.replica,
          });
        wire.reply(answerOf(wire, GO_ON, { sequence: 5_000 }));
      }),
    ],
    [
      'has a state of 2 MiB',
      'the run fails',
      /^state-too-large$/,
      asked((_call, wire) => wire.reply(answerOf(wire, { ...GO_ON, state: { held: 'x'.repeat(2 * MEBIBYTE) } }))),
    ],
    [
      'says a chunk of 2 MiB',
      'the run fails',
      /^(processor-verdict-refused|processor-failed)$/,
      asked((call, wire) => {
        wire.reply({
          sequence: 0,
          progress: [{ type: 'data-forged', runId: runIdOf(call), from: 'AGENT', data: 'x'.repeat(2 * MEBIBYTE) }],
          replica: wire.replica,
        });
        wire.reply(answerOf(wire, GO_ON, { sequence: 1 }));
      }),
    ],
  ];
  test.each(fails)('that %s: %s', async (_name, _outcome, code, wire) => {
    const { chunks, result, path } = await adversaries.run(wire);
    expect(result).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(code), path } });
    expect(textOf(chunks)).toBe('');
    expect(chunks.at(-1)).toMatchObject({ type: 'error' });
    await adversaries.stillServing();
  });

  const passes: [string, Adversary][] = [
    [
      'answers twice: the first answer counts',
      asked((_call, wire) => [GO_ON, forged].forEach((verdict) => wire.reply(answerOf(wire, verdict)))),
    ],
    [
      'sends back what it was given, changed: nothing of it counts',
      asked((call, wire) =>
        wire.reply(
          answerOf(wire, GO_ON, { ...call, input: { text: 'forged' }, run: { runId: 'another-run', tenant: 'other' } }),
        ),
      ),
    ],
    [
      'answers in the name of another run and replica: it is this call’s answer',
      asked((_call, wire) => wire.reply(answerOf(wire, GO_ON, { replica: 'another', runId: 'another-run' }))),
    ],
    [
      'answers, and is gone before what it said has its effect: it has judged',
      asked((_call, wire) => {
        wire.reply(answerOf(wire, GO_ON));
        wire.die();
      }),
    ],
  ];
  test.each(passes)('that %s', async (_name, wire) => {
    const { chunks, result } = await adversaries.run(wire);
    expect(result).toMatchObject({ status: 'finished', text: SAID });
    expect(JSON.stringify([chunks, result])).not.toContain('forged');
    await adversaries.stillServing();
  });
});
