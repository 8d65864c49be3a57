// Violations of the rules for sessions, at least one for each rule.
import { late, mixing } from './broken-chunks.ts';
import { toEntries, type Breakage } from './wire-violations.ts';

export const SESSION_BREAKAGES: Breakage[] = [
  ['session', 'does not number its batches', { batch: (right) => [{ ...right, sequence: 0 }] }, /not numbered densely/],
  [
    'session',
    'ends before its end was sent',
    { batch: (right) => [{ ...right, verdicts: [{ type: 'continue' }], ms: [0] }] },
    /before its end was sent/,
  ],
  [
    'session',
    'does not count processed chunks',
    { batch: (right) => [{ ...right, processed: 0 }] },
    /ended after 0 of/,
  ],
  [
    'session',
    'sends a start chunk',
    { chunks: (right) => [{ type: 'start', runId: 'r', from: 'AGENT', payload: {} }, ...right] },
    /only the orchestrator creates those/,
  ],
  [
    'session',
    'names another service',
    { changeOpened: (right) => ({ ...right, service: 'other' }) },
    /"service" is "other"/,
  ],
  ['session', 'sends text after the end of its part', { chunks: late }, /after the end of its part/],
  ['ranges', 'names chunks without a request for it', { namesAlways: true }, /did not set "same"/],
  [
    'ranges',
    'names chunks that were not sent',
    { batch: (right, { open }) => [open['same'] === true ? { ...right, same: { from: 0, count: 900 } } : right] },
    /is named and was not sent/,
  ],
  [
    'merged-session',
    'serves processors that it does not have',
    { changeOpened: (right, { entries }) => ({ ...right, served: toEntries(entries).length }) },
    /an unserved processor/,
  ],
  [
    'sessions-apart',
    'mixes the texts of its sessions',
    { chunks: mixing() },
    /concurrent sessions differs|input of another one/,
  ],
  [
    'sessions-apart',
    'shares the buffer of an unfinished word between its sessions',
    { sharesBuffer: true },
    /concurrent sessions differs|input of another one/,
  ],
  [
    'chunk-types',
    'rejects a chunk of an unknown type',
    { batch: (right) => [JSON.stringify(right).includes('of-a-later-version') ? { ...right, chunks: [{}] } : right] },
    /of-a-later-version: .*does not fit session-output/,
  ],
  [
    'processed',
    'sends "processed" with its heartbeat only',
    { tellsWithHeartbeatOnly: true },
    /ms or more after they were sent/,
  ],
  ['heartbeats', 'has no heartbeat', { withoutHeartbeat: true }, /silent for/],
  [
    'silence',
    'continues a session of a lost orchestrator',
    { ignoresSilence: true },
    /after the orchestrator’s last word/,
  ],
  ['drop', 'continues a dropped session', { ignoresDrop: true }, /the session was dropped/],
  ['gap', 'ignores gaps in the numbers', { ignoresGaps: true }, /ended with "continue"/],
  ['tell', 'ignores the request', { ignoresTell: true }, /did not end within/],
  [
    'tell',
    'continues after its verdicts',
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
    /verdict (?:is )?missing/,
  ],
  [
    'told-words',
    'sends buffered text in the next session',
    { tellsWords: true },
    /outputs text of the stopped session/,
  ],
  [
    'told-words',
    'stores the buffer of an unfinished word in its state',
    { keepsBuffer: true },
    /outputs text of the stopped session/,
  ],
  [
    'session-oversize',
    'sends batches that are too large',
    { chunks: (right) => (JSON.stringify(right).length > 100_000 ? [...right, ...right] : right) },
    /a batch of \d+ bytes/,
  ],
  ['batch', 'opens a session for a batch', { changeOpened: ({ output: _, ...right }) => right }, /without "output"/],
  [
    'batch',
    'drops the finish',
    { chunks: (right) => right.filter(({ type }) => type !== 'finish') },
    /dropped the "finish" chunk/,
  ],
  ['cuts', 'judges chunk by chunk', { withoutHolding: true }, /has another result/],
];
