// Rules for stage calls: each is answered once, in the form of docs/wire.md, for any input.
import { isDeepStrictEqual } from 'node:util';
import type { Stage, Verdict } from '@millrace/contracts';
import { ask } from '../ask.ts';
import { OptionsError, fail } from '../rule-error.ts';
import { buildCall, judge, judgeOrError } from '../judge.ts';
import { buildConversation, createEmptyInput } from '../plain-turn.ts';
import { listCalledStages, forEachCalled, needsCalls, type CheckRule, removeTimes } from '../rule.ts';
import { writeDefaults } from '../sample-options.ts';
import { STREAM, sendOpen, buildSessionOpen } from '../session-open.ts';
import { checkAlive } from '../check-liveness.ts';
import { MAX_WAIT_MS, createLoneRun, buildCallEntry, type CheckTarget, buildStageSubject } from '../target.ts';

const AT_ONCE = 32;
/** Size of a text that must be judged, in characters; and of one that may be rejected but must not end the replica. */
const LARGE = 256 * 1024;
const OVERSIZE = 4 * 1024 * 1024;
/** Time to listen for a forbidden second reply, ms. */
const SECOND_ANSWER_MS = 500;

/** If this rule fails, the results of all others are meaningless. */
export const OPTIONS_FIT: CheckRule = {
  id: 'options-fit',
  promise: 'has options that fit, of its own or of its cases',
  page: 'found',
  async run(target) {
    for (const options of target.optionSets) {
      for (const stage of target.descriptor.stages) {
        const failed = await (
          stage === STREAM
            ? sendOpen(target, buildSessionOpen(target, { options, chunks: [], end: true }))
            : judge(target, stage, { options })
        ).catch((error: unknown) => error);
        if (failed instanceof OptionsError) throw failed;
      }
    }
  },
};

export const callRules: CheckRule[] = [
  OPTIONS_FIT,
  {
    id: 'answers',
    promise: 'answers each stage with verdicts that the stage allows, numbered, one for each entry',
    page: 'call',
    skipReason: needsCalls,
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        await judge(target, stage, { options });
        await judge(target, stage, { options, input: createEmptyInput(stage) });
      }),
  },
  {
    id: 'once',
    promise: 'answers a call once',
    page: 'progress',
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => void (await judge(target, stage, { options }, SECOND_ANSWER_MS))),
  },
  {
    id: 'side-by-side',
    promise: 'handles calls side by side',
    page: 'call',
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => {
        await Promise.all(Array.from({ length: AT_ONCE }, () => judge(target, stage, { options })));
      }),
  },
  {
    id: 'merged',
    promise: 'takes a call for several entries, and leaves those of others alone',
    page: 'call',
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => {
        const first = buildCallEntry(target, options, { entry: 'first' });
        await judge(target, stage, { options, entries: [first, { ...first, entry: 'second' }] });
        const others = { ...first, entry: 'others', processor: 'check-nobody-serves-this' };
        const { verdicts, seen } = await judge(target, stage, { options, entries: [first, others] });
        if (verdicts.length > 1) fail('a verdict was sent for an entry of an unserved processor', seen);
      }),
  },
  {
    id: 'repeatable',
    promise: 'answers the same call in the same way',
    page: 'call',
    skipReason: (target) =>
      target.cases.repeatable ? needsCalls(target) : 'its cases declare that it is not repeatable',
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        const run = createLoneRun();
        const [one, other] = [
          await judge(target, stage, { options, run }),
          await judge(target, stage, { options, run }),
        ];
        if (!isDeepStrictEqual(omitCosts(one.verdicts), omitCosts(other.verdicts)))
          fail(`${stage}: the second answer to the same call is another one`, [one.verdicts, other.verdicts]);
      }),
  },
  {
    id: 'options',
    promise: 'fills in the defaults of its options, and survives options that do not fit',
    page: 'found',
    skipReason: needsCalls,
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        const written = writeDefaults(target.descriptor.optionsSchema, options);
        const [short, long] = [
          await judge(target, stage, { options }),
          await judge(target, stage, { options: written }),
        ];
        const [type, other] = [short, long].map(({ verdicts }) => verdicts[0]?.type);
        if (type !== other)
          fail(`${stage} gives "${type}", and "${other}" with its defaults written out`, { options: written });
        await judgeOrError(target, stage, { options: { ...options, anUnknownOption: [1] } }).catch(() => undefined);
        await checkAlive(target, 'options that do not fit');
      }),
  },
  {
    id: 'oversize',
    promise: 'judges a text of 256 KiB, and survives one of 4 MiB',
    page: 'everyMessage',
    alone: true,
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => {
        const makeText = (length: number) => 'All that fits. '.repeat(Math.ceil(length / 15));
        const makeInput = (length: number) => ({
          conversation: buildConversation('input', makeText(length)),
          ...createEmptyInput(stage),
        });
        await judgeOrError(target, stage, { options, input: makeInput(LARGE), timeoutMs: MAX_WAIT_MS });
        await judgeOrError(target, stage, {
          options,
          input: makeInput(Math.min(OVERSIZE, target.bus.readMaxPayload() / 2)),
        }).catch(() => undefined);
        await checkAlive(target, 'a text of 4 MiB');
      }),
  },
  {
    id: 'garbage',
    promise: 'survives malformed calls',
    page: 'everyMessage',
    async run(target) {
      const { bus, descriptor } = target;
      const deep = `${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`;
      const payloads = ['', 'not json', '[]', 'null', '{}', deep, '{"callId":7}', new Uint8Array([0xff, 0xfe, 0])];
      const options = { timeoutMs: GARBAGE_MS, isFinal: () => true };
      await Promise.all(
        descriptor.stages.flatMap((stage) =>
          payloads.map((payload) => ask(bus, buildStageSubject(target, stage, descriptor.id), payload, options)),
        ),
      );
      bus.nc.publish(bus.subjects.cancelCalls(target.service), 'not json');
      await checkAlive(target, 'messages that are no calls');
    },
  },
  {
    id: 'later-members',
    promise: 'leaves members alone that it does not know',
    page: 'versions',
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => {
        const later = { ofALaterVersion: { a: [1] } };
        const run = { ...createLoneRun(), ...later };
        const entries = [{ ...buildCallEntry(target, options), ...later }];
        await judge(target, stage, { options, run, entries, more: later });
      }),
  },
  {
    id: 'cancel',
    promise: 'takes calls on after one that was given up',
    page: 'givingUp',
    skipReason: needsCalls,
    run: (target) =>
      forEachStage(target, async (stage, options) => {
        const { bus, service, descriptor } = target;
        const call = buildCall(target, stage, { options });
        const answered = ask(bus, buildStageSubject(target, stage, descriptor.id), call, {
          timeoutMs: SECOND_ANSWER_MS,
          isFinal: () => true,
        });
        for (const callIds of [[call.callId], ['check-unknown'], [call.callId, call.callId]])
          bus.nc.publish(bus.subjects.cancelCalls(service), JSON.stringify({ callIds }));
        await answered;
        await checkAlive(target, 'a call that was given up');
      }),
  },
];

/** A second answer of a cache takes another time and uses no model. */
const omitCosts = (verdicts: readonly Verdict[]) => removeTimes(verdicts.map(({ usage: _, ...verdict }) => verdict));

const GARBAGE_MS = 300;

/** Runs with the first set of options. */
async function forEachStage(
  target: CheckTarget,
  run: (stage: Stage, options: CheckTarget['optionSets'][number]) => Promise<void>,
) {
  const [options = {}] = target.optionSets;
  for (const stage of listCalledStages(target)) if (stage !== STREAM) await run(stage, options);
}
