// At least one violation for each rule.
import { buildDataChunk, deep, thinking } from './broken-chunks.ts';
import { SESSION_BREAKAGES } from './session-breakages.ts';
import { toEntries, type Breakage, type Json } from './wire-violations.ts';

let seen = 0;
const isRepeated = new Map<string, number>();
/** The violation, and the problem that the suite reports. */
export const BREAKAGES: Breakage[] = [
  [
    'options-fit',
    'takes no options that its schema asks for',
    { verdicts: () => [{ type: 'failure', code: 'options-invalid', message: 'no rules', retryable: false }] },
    /pass valid ones with --cases FILE: no rules/,
  ],
  ['discovery', 'answers no STATS', { verbs: ['PING', 'INFO'] }, /\$SRV\.STATS.* is not answered/],
  ['version', 'has no semantic version', { version: 'v1' }, /version is "v1"/],
  ['descriptor', 'has another queue group', { queue: 'mine' }, /queue group of .* is "mine"/],
  [
    'descriptor',
    'names the wrong lists',
    { descriptor: { lists: ['input'] } },
    /"lists" is input; its stages are of input, output/,
  ],
  ['own-subject', 'has no subject of its own replica', { withoutOwnSubject: true }, /has no subscriber/],
  ['cancel-subject', 'cannot be cancelled', { withoutCancel: true }, /\.cancel\..* has no subscriber/],
  [
    'answers',
    'gives a verdict that its stage does not allow',
    { verdicts: () => [{ type: 'deny', reason: 'x' }] },
    /does not allow the verdict "deny"/,
  ],
  [
    'answers',
    'does not number its answers',
    { reply: (right) => [{ ...right, sequence: 1 }] },
    /numbered densely: 1 arrived instead of 0/,
  ],
  ['answers', 'leaves "ms" out', { reply: ({ ms: _, ...right }) => [right] }, /does not fit stage-reply/],
  ['answers', 'never answers', { reply: () => [] }, /was not answered within/],
  ['answers', 'answers with invalid JSON', { reply: () => ['nonsense'] }, /does not fit|not JSON/],
  [
    'answers',
    'names another replica',
    { reply: (right) => [{ ...right, replica: 'other' }] },
    /no id that answers discovery/,
  ],
  [
    'answers',
    'replaces a list that it did not read',
    { verdicts: () => [{ type: 'continue', changes: { ops: [{ op: 'system-all', messages: [] }] } }] },
    /outside of its reads/,
  ],
  ['once', 'answers twice', { reply: (right) => [right, right] }, /answered on after the final answer/],
  ['side-by-side', 'handles one call after the other', { slowMs: 150 }, /was not answered within/],
  [
    'merged',
    'judges for processors that it does not serve',
    { verdicts: ({ entries }) => toEntries(entries).map(() => ({ type: 'continue' })) },
    /an entry of an unserved processor/,
  ],
  [
    'merged',
    'gives more verdicts than there are entries',
    { verdicts: ({ entries }) => [...toEntries(entries), 1].map(() => ({ type: 'continue' })) },
    /verdicts for/,
  ],
  [
    'repeatable',
    'counts its calls',
    { verdicts: () => [{ type: 'continue', state: { seen: (seen += 1) } }] },
    /the second answer to the same call/,
  ],
  [
    'options',
    'does not know its own default',
    {
      verdicts: ({ entries }) => [
        JSON.stringify(entries).includes('"word"') ? { type: 'continue' } : { type: 'abort', reason: 'no word' },
      ],
    },
    /with its defaults written out/,
  ],
  [
    'options',
    'crashes on invalid options',
    { diesAt: (text) => text.includes('anUnknownOption') },
    /after options that do not fit/,
  ],
  ['oversize', 'crashes on a large text', { diesAt: (text) => text.length > 1_000_000 }, /after a text of 4 MiB/],
  ['garbage', 'crashes on invalid JSON', { diesAt: (text) => text === 'not json' }, /after messages that are no calls/],
  [
    'later-members',
    'refuses members that it does not know',
    {
      verdicts: (call) => [
        JSON.stringify(call).includes('ofALaterVersion')
          ? { type: 'failure', code: 'processor-failed', message: 'unknown member', retryable: false }
          : { type: 'continue' },
      ],
    },
    /unknown member/,
  ],
  [
    'cancel',
    'crashes on a cancel',
    { diesAt: (_text, subject) => subject.includes('.cancel.') },
    /after a call that was given up/,
  ],
  [
    'state-returned',
    'rejects its own state',
    {
      verdicts: ({ entries }) => [
        JSON.stringify(entries).includes('"seen"')
          ? { type: 'failure', code: 'internal', message: 'no such state', retryable: false }
          : { type: 'continue', state: { seen: 1 } },
      ],
    },
    /no such state/,
  ],
  [
    'state-apart',
    'shares state between runs',
    { verdicts: ({ run }) => [{ type: 'continue', state: { runs: runsSeen(run) } }] },
    /starts with the state of another one/,
  ],
  [
    'state-foreign',
    'crashes on a foreign state',
    { diesAt: (text) => text.includes('ofALaterVersion') },
    /after a state that it did not give/,
  ],
  ...SESSION_BREAKAGES,
  [
    'exchanges',
    'does not stop a bad input',
    { verdicts: () => [{ type: 'continue' }] },
    /"stops": the verdict.type is continue, not abort/,
  ],
  [
    'redactions',
    'masks only words within one chunk',
    { withoutHolding: true },
    /"secret" was sent for a text cut into/,
  ],
  ['redactions', 'loses the last word of a text', { chunks: dropLastWord }, /the text became another one/],
  ['exchanges', 'blocks without a reason', { verdicts: () => [{ type: 'abort' }] }, /verdicts\[0\]\.reason is missing/],
  [
    'exchanges',
    'reports a violation without a message',
    { verdicts: () => [{ type: 'abort', reason: 'x', violations: [{ processorId: 'x' }] }] },
    /verdicts\[0\]\.violations\[0\]\.message is missing/,
  ],
  [
    'answers',
    'names an operation that the wire does not have',
    { verdicts: () => [{ type: 'continue', changes: { ops: [{ op: 'system', messages: [] }] } }] },
    /verdicts\[0\]\.changes\.ops\[0\]/,
  ],
  [
    'redactions',
    'sends the masked text as reasoning',
    { chunks: (right) => [...right, ...right.filter(({ type }) => type === 'text-start').flatMap(thinking)] },
    /"secret" was sent for a text cut into/,
  ],
  [
    'redactions',
    'sends the masked text in a data chunk',
    { chunks: (right) => (right.length === 0 ? right : [...right, buildDataChunk('it was "secret"')]) },
    /"secret" was sent for a text cut into/,
  ],
  [
    'answers',
    'never ends',
    {
      reply: (right) =>
        Array.from({ length: 10_050 }, (_, sequence) => ({ sequence, progress: [], replica: right['replica'] })),
    },
    /was answered 10001 times/,
  ],
  [
    'answers',
    'answers with an endlessly nested value',
    { reply: (right) => [{ ...right, deep: deep() }] },
    /nested too deep/,
  ],
];

function dropLastWord(right: readonly Json[]): readonly Json[] {
  return right.map((chunk) => {
    const text: unknown = Reflect.get(Object(chunk['payload']), 'text');
    if (typeof text !== 'string' || !text.endsWith(' out')) return chunk;
    return { ...chunk, payload: { ...Object(chunk['payload']), text: text.slice(0, -' out'.length) } };
  });
}

/** Returns the number of earlier runs. */
function runsSeen(run: unknown): number {
  const id = String(typeof run === 'object' && run !== null ? Reflect.get(run, 'runId') : '');
  if (!isRepeated.has(id)) isRepeated.set(id, isRepeated.size);
  return isRepeated.get(id) ?? 0;
}
