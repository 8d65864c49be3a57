// Checks every stage's method with a plain turn, with empty input, and with the input of the case.
import assert from 'node:assert/strict';
import {
  allowsVerdict,
  findUnserializable,
  verdictSchema,
  type ErrorCode,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { createEmptyInput, buildPlainInput } from '@millrace/check/plain-turn';
import { call, type CalledStage, type ConformanceCheck, type Subject } from './subject.ts';

/** A failure of one of these is a bug of the processor, not something that it met. */
const BUGS: readonly ErrorCode[] = [
  'processor-failed',
  'processor-verdict-refused',
  'state-not-serializable',
  'internal',
  'not-json',
];

export const stageChecks: ConformanceCheck[] = [
  {
    name: 'answers every stage with a verdict that the stage allows',
    run: (subject) =>
      forEachCall(subject, async (stage, called, where) => {
        const verdict = await call(subject.definition, stage, called);
        assertVerdict(stage, verdict, where);
      }),
  },
  {
    name: 'gives the same answer to the same call',
    run: (subject) =>
      forEachCall(subject, async (stage, called, where) => {
        const [first, second] = [
          await call(subject.definition, stage, called),
          await call(subject.definition, stage, called),
        ];
        assert.deepEqual(removeTimes(second), removeTimes(first), `${where}: the second answer differs`);
      }),
  },
  {
    name: 'leaves its input as it was',
    run: (subject) =>
      forEachCall(subject, async (stage, called, where) => {
        const before = structuredClone(called);
        await call(subject.definition, stage, called);
        assert.deepEqual(called, before, `${where}: the input was changed`);
      }),
  },
  {
    name: 'keeps a state that is JSON, and takes it back',
    run: (subject) =>
      forEachCall(subject, async (stage, called, where) => {
        const first = await call(subject.definition, stage, called);
        const state = first && 'state' in first ? first.state : undefined;
        if (!state) return;
        assert.equal(findUnserializable(state), undefined, `${where}: the state is not JSON`);
        assertVerdict(
          stage,
          await call(subject.definition, stage, { ...called, state }),
          `${where}, again with its state`,
        );
      }),
  },
  {
    name: 'answers whatever its suspension is answered with',
    run: (subject) =>
      forEachCall(subject, async (stage, called, where) => {
        const first = await call(subject.definition, stage, called);
        if (first?.type !== 'suspend') return;
        const state = first.state ?? called.state ?? {};
        for (const resumeData of [true, null, 'yes', {}, [1]]) {
          const again = await call(subject.definition, stage, { ...called, state, resumeData });
          assertVerdict(stage, again, `${where}, resumed with ${JSON.stringify(resumeData)}`);
        }
      }),
  },
];

async function forEachCall(
  subject: Subject,
  run: (stage: Stage, called: CalledStage, where: string) => Promise<void>,
): Promise<void> {
  for (const stage of subject.definition.stages.filter((one) => one !== 'processOutputStream')) {
    const inputs: Partial<StageInput>[] = [
      buildPlainInput(stage),
      createEmptyInput(stage),
      ...(subject.inputs[stage] ?? []),
    ];
    for (const options of subject.options) {
      for (const input of inputs)
        await run(stage, structuredClone({ options, input }), `${stage} with ${JSON.stringify({ options, input })}`);
    }
  }
}

export function assertVerdict(stage: Stage, verdict: Verdict | undefined, where: string): void {
  const parsed = verdictSchema.safeParse(verdict);
  assert.ok(parsed.success, `${where}: no verdict: ${parsed.error?.message}`);
  const { data } = parsed;
  if (data.type === 'failure') assert.ok(!BUGS.includes(data.code), `${where}: ${data.code}: ${data.message}`);
  assert.ok(allowsVerdict(stage, data.type), `${where}: "${data.type}" is not allowed`);
}

/** Messages that a processor adds have the time of the call: everything else must be the same. */
function removeTimes(verdict: Verdict | undefined): unknown {
  return JSON.parse(JSON.stringify(verdict ?? null, (key, value: unknown) => (key === 'createdAt' ? 'now' : value)));
}
