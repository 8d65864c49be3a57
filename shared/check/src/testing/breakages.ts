// For each rule at least one way to break it.
import { dataOf, deep, late, mixing, thinking } from './broken-chunks.ts';
import type { Quirks } from './quirks.ts';

let seen = 0;
const isRepeated = new Map<string, number>();
/** What is done, and what the suite says of it. */
export const BREAKAGES: [rule: string, name: string, quirks: Quirks, problem: RegExp][] = [
  [
    'options-fit',
    'takes no options that its schema asks for',
    { verdicts: () => [{ type: 'failure', code: 'options-invalid', message: 'no rules', retryable: false }] },
    /name some that do with --cases FILE: no rules/,
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
  ['own-subject', 'has no subject of its own replica', { withoutOwnSubject: true }, /nobody is subscribed to/],
  ['cancel-subject', 'cannot be cancelled', { withoutCancel: true }, /nobody is subscribed to .*\.cancel\./],
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
    /numbered densely: 1 came, not 0/,
  ],
  ['answers', 'leaves "ms" out', { reply: ({ ms: _, ...right }) => [right] }, /does not fit stage-reply/],
  ['answers', 'never answers', { reply: () => [] }, /was not answered within/],
  ['answers', 'answers what is no JSON', { reply: () => ['nonsense'] }, /does not fit|not JSON/],
  [
    'answers',
    'names another replica',
    { reply: (right) => [{ ...right, replica: 'other' }] },
    /no id that answers discovery/,
  ],
  [
    'answers',
    'replaces what it did not read',
    { verdicts: () => [{ type: 'continue', changes: { ops: [{ op: 'system-all', messages: [] }] } }] },
    /not in its reads/,
  ],
  ['once', 'answers twice', { reply: (right) => [right, right] }, /answered on after the final answer/],
  ['side-by-side', 'handles one call after the other', { slowMs: 150 }, /was not answered within/],
  [
    'merged',
    'judges for processors that it does not serve',
    { verdicts: ({ entries }) => entriesOf(entries).map(() => ({ type: 'continue' })) },
    /an entry of a processor that nobody serves/,
  ],
  [
    'merged',
    'gives more verdicts than there are entries',
    { verdicts: ({ entries }) => [...entriesOf(entries), 1].map(() => ({ type: 'continue' })) },
    /verdicts came for/,
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
    'dies of options that do not fit',
    { diesAt: (text) => text.includes('anOptionThatNobodyHas') },
    /after options that do not fit/,
  ],
  ['oversize', 'dies of a large text', { diesAt: (text) => text.length > 1_000_000 }, /after a text of 4 MiB/],
  ['garbage', 'dies of what is no JSON', { diesAt: (text) => text === 'not json' }, /after messages that are no calls/],
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
    'dies of a cancel',
    { diesAt: (_text, subject) => subject.includes('.cancel.') },
    /after a call that was given up/,
  ],
  [
    'state-returned',
    'breaks at its own state',
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
    'shows one run what another one left',
    { verdicts: ({ run }) => [{ type: 'continue', state: { runs: runsSeen(run) } }] },
    /begins with what another one left/,
  ],
  [
    'state-foreign',
    'dies of a state that it did not give',
    { diesAt: (text) => text.includes('ofALaterVersion') },
    /after a state that it did not give/,
  ],
  ['session', 'does not number its batches', { batch: (right) => [{ ...right, sequence: 0 }] }, /not numbered densely/],
  [
    'session',
    'ends before its end was sent',
    { batch: (right) => [{ ...right, verdicts: [{ type: 'continue' }], ms: [0] }] },
    /before its end was sent/,
  ],
  [
    'session',
    'does not count what it has processed',
    { batch: (right) => [{ ...right, processed: 0 }] },
    /ended after 0 of/,
  ],
  [
    'session',
    'says a start of its own',
    { chunks: (right) => [{ type: 'start', runId: 'r', from: 'AGENT', payload: {} }, ...right] },
    /only the orchestrator makes those/,
  ],
  ['session', 'names another service', { opened: (right) => ({ ...right, service: 'other' }) }, /"service" is "other"/],
  ['session', 'gives text out after the end of its part', { chunks: late }, /after the end of its part/],
  ['ranges', 'names chunks where nobody asked for it', { namesAlways: true }, /did not say "same"/],
  [
    'ranges',
    'names chunks that were not sent',
    { batch: (right, { open }) => [open['same'] === true ? { ...right, same: { from: 0, count: 900 } } : right] },
    /is named and was not sent/,
  ],
  [
    'merged-session',
    'serves processors that it does not have',
    { opened: (right, { entries }) => ({ ...right, served: entriesOf(entries).length }) },
    /processor that nobody serves/,
  ],
  ['sessions-apart', 'mixes what its sessions say', { chunks: mixing() }, /than alone|another one was given/],
  [
    'chunk-types',
    'breaks at a chunk that it does not know',
    { batch: (right) => [JSON.stringify(right).includes('of-a-later-version') ? { ...right, chunks: [{}] } : right] },
    /of-a-later-version: .*does not fit session-output/,
  ],
  [
    'processed',
    'tells "processed" with its heartbeat alone',
    { tellsWithHeartbeatOnly: true },
    /ms or more after it was sent/,
  ],
  ['heartbeats', 'has no heartbeat', { withoutHeartbeat: true }, /silent for/],
  [
    'silence',
    'serves on for an orchestrator that is gone',
    { ignoresSilence: true },
    /after the orchestrator’s last word/,
  ],
  ['drop', 'serves on what was given up', { ignoresDrop: true }, /the session was dropped/],
  ['gap', 'does not look at the numbers', { ignoresGaps: true }, /ended with "continue"/],
  ['tell', 'does not know the word', { ignoresTell: true }, /did not end within/],
  [
    'tell',
    'goes on after it has told',
    {
      batch: (right) =>
        'verdicts' in right ? [right, { session: right['session'], processed: 0, chunks: [] }] : [right],
    },
    /after the one with the verdicts|does not fit|numbered densely/,
  ],
  [
    'tell',
    'leaves a verdict out',
    { batch: (right) => ['verdicts' in right ? { ...right, verdicts: [] } : right] },
    /with a verdict missing/,
  ],
  [
    'told-words',
    'lets go in the next session what it held',
    { tellsWords: true },
    /gives out what the stopped session/,
  ],
  [
    'session-oversize',
    'sends batches that are too large',
    { chunks: (right) => (JSON.stringify(right).length > 100_000 ? [...right, ...right] : right) },
    /a batch of \d+ bytes/,
  ],
  ['batch', 'opens a session for a batch', { opened: ({ output: _, ...right }) => right }, /without "output"/],
  [
    'batch',
    'drops the finish',
    { chunks: (right) => right.filter(({ type }) => type !== 'finish') },
    /"finish" chunk did not come out/,
  ],
  ['cuts', 'judges chunk by chunk', { withoutHolding: true }, /comes to another end/],
  [
    'exchanges',
    'does not stop what it should',
    { verdicts: () => [{ type: 'continue' }] },
    /"stops": the verdict.type is continue, not abort/,
  ],
  [
    'redactions',
    'masks only what comes in one piece',
    { withoutHolding: true },
    /"secret" came out of a text cut into/,
  ],
  [
    'redactions',
    'says as reasoning what it masks as text',
    { chunks: (right) => [...right, ...right.filter(({ type }) => type === 'text-start').flatMap(thinking)] },
    /"secret" came out of a text cut into/,
  ],
  [
    'redactions',
    'says in a chunk of its own what it masks as text',
    { chunks: (right) => (right.length === 0 ? right : [...right, dataOf('it was "secret"')]) },
    /"secret" came out of a text cut into/,
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
    'answers what is nested without end',
    { reply: (right) => [{ ...right, deep: deep() }] },
    /nested too deep/,
  ],
];

function entriesOf(entries: unknown): unknown[] {
  return Array.isArray(entries) ? entries : [];
}

/** How many runs it has been called for before. */
function runsSeen(run: unknown): number {
  const id = String(typeof run === 'object' && run !== null ? Reflect.get(run, 'runId') : '');
  if (!isRepeated.has(id)) isRepeated.set(id, isRepeated.size);
  return isRepeated.get(id) ?? 0;
}
