// Tests the pure functions of the command: parsing and formatting.
import { readFileSync } from 'node:fs';
import { ERROR_CODES, MillraceError, runStatusSchema, type RunEvent } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { appliedAgent } from '@millrace/testkit';
import { mayPass } from './commands/apply-agent.ts';
import { parseCount, parseDuration } from './command/duration.ts';
import { formatEvents } from './text/events-text.ts';
import { EXIT_CODES, chooseExitForError, chooseExitForRun } from './command/exit-codes.ts';
import { formatPlan } from './text/plan-text.ts';
import { formatError } from './command/report-error.ts';
import { formatTable } from './command/printable.ts';
import { UsageError } from './command/usage-error.ts';

describe('durations', () => {
  test.each([
    ['30s', 30_000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1.5h', 5_400_000],
    ['7', 7_000],
  ])('A duration is parsed: %s', (text, ms) => expect(parseDuration(text, '--wait')).toBe(ms));

  test.each(['', 's', '-1s', '0', '1d', '1 s', '1e3', 'soon'])('A duration is rejected: %j', (text) =>
    expect(() => parseDuration(text, '--wait')).toThrow(/^--wait takes a duration/),
  );

  test.each(['0', '-1', '1.5', 'x', ''])('A count is rejected: %j', (text) =>
    expect(() => parseCount(text, '--last')).toThrow(UsageError),
  );
});

describe('exit codes', () => {
  test('Each end of a run has its own exit code, and only a finished run exits with 0', () => {
    const codes = runStatusSchema.options.filter((status) => status !== 'queued' && status !== 'running');
    expect(codes.map((status) => [status, EXIT_CODES[chooseExitForRun(status)].code])).toEqual([
      ['suspended', 7],
      ['finished', 0],
      ['aborted', 2],
      ['failed', 3],
      ['cancelled', 4],
      ['released', 7],
    ]);
  });

  test('The exit codes match the table in DESIGN.md', () => {
    const design = readFileSync(new URL('../DESIGN.md', import.meta.url), 'utf8');
    const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(design).toContain(rows.join('\n'));
  });

  test('The exit code of an error is never 0, for any error code', () => {
    const codes = Object.keys(ERROR_CODES).filter((code): code is keyof typeof ERROR_CODES => code in ERROR_CODES);
    for (const code of codes)
      expect(EXIT_CODES[chooseExitForError(new MillraceError(code, ''))].code).toBeGreaterThan(0);
    expect(chooseExitForError(new MillraceError('bus-unreachable', ''))).toBe('unreachable');
    expect(chooseExitForError(new MillraceError('agent-unknown', ''))).toBe('refused');
    expect(chooseExitForError(new Error('a bug'))).toBe('usage');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code as another version may answer it
    expect(chooseExitForError(new MillraceError('constructor' as 'internal', ''))).toBe('refused');
  });
});

describe('an error', () => {
  test('The text of an error has code, path and remedy, and so has each of its problems', () => {
    const issues = [{ code: 'tool-unknown' as const, message: 'No "clock".', path: 'tools[0]', remedy: 'Start it.' }];
    expect(formatError(new MillraceError('agent-invalid', 'Refused.', { path: 'p', remedy: 'r', issues }))).toBe(
      'error: Refused. (agent-invalid)\n  at: p\n  remedy: r\n  No "clock". (tool-unknown)\n    at: tools[0]\n    remedy: Start it.',
    );
  });
});

describe('an error with its problems', () => {
  const problem = { code: 'message-invalid' as const, message: 'must be a string', path: 'name' };
  test('The text of an error omits an only problem that its message repeats', () => {
    const error = new MillraceError('message-invalid', 'The request does not fit: name must be a string.', {
      path: 'name',
      issues: [problem],
    });
    expect(formatError(error)).toBe(
      'error: The request does not fit: name must be a string. (message-invalid)\n  at: name',
    );
  });

  test('The text of an error omits an only problem if it repeats the path and remedy', () => {
    const refused = { message: 'Not here.', path: 'outputProcessors', remedy: 'Leave it out.' };
    const issues = [{ code: 'run-refused' as const, ...refused }];
    const { message, ...rest } = refused;
    expect(formatError(new MillraceError('run-refused', message, { ...rest, issues }))).toBe(
      'error: Not here. (run-refused)\n  at: outputProcessors\n  remedy: Leave it out.',
    );
  });

  test('The text of an error with thousands of problems lists some and counts the rest by code', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      code: n % 2 ? ('processor-unknown' as const) : ('tool-unknown' as const),
      message: `No "${n}".`,
      path: `input[${n}]`,
      remedy: 'Start it.',
    }));
    const lines = formatError(new MillraceError('agent-invalid', 'Refused.', { issues: many })).split('\n');
    expect(lines).toHaveLength(1 + 20 * 3 + 1);
    expect(lines.at(-1)).toBe('  and 9980 more problems (4990 tool-unknown, 4990 processor-unknown)');
  });
});

describe('retrying', () => {
  const refusal = (...codes: ('processor-unknown' | 'tool-unknown' | 'options-invalid')[]) =>
    new MillraceError('agent-invalid', '', { issues: codes.map((code) => ({ code, message: '' })) });
  test('agents apply --wait retries for missing services and not for invalid definitions', () => {
    expect(mayPass(refusal('processor-unknown', 'tool-unknown'))).toBe(true);
    expect(mayPass(refusal('processor-unknown', 'options-invalid'))).toBe(false);
    expect(mayPass(new MillraceError('bus-unreachable', ''))).toBe(true);
    expect(mayPass(new MillraceError('agent-invalid', ''))).toBe(false);
  });
});

describe('tables', () => {
  test('A table has columns as wide as their widest cell and one line per row for any cell content', () => {
    expect(formatTable(['A', 'LONG'], [['aaa', 'x\ny\u001b[2J'], ['b']])).toBe('A    LONG\naaa  x y\uFFFD[2J\nb');
  });
});

test('The text of a plan lists the called processors by stage in order, and the stages that are not called', () => {
  expect(formatPlan(appliedAgent('demo', 3))).toBe(
    [
      'demo (revision 3), openai/gpt-5-mini',
      '',
      'processInput',
      '  #  ENTRY    PROCESSOR  SERVICE     POLICY                     OPTIONS',
      '  1  pii                 guardrails  5000 ms, 2 attempts, fail  {"strategy":"redact"}',
      '  2  keyword             guardrails  5000 ms, 2 attempts, skip  {"strategy":"redact"}',
      '',
      'processOutputStream',
      '  #  ENTRY  PROCESSOR  SERVICE     POLICY                     OPTIONS',
      '  1  pii               guardrails  5000 ms, 2 attempts, fail  {"strategy":"redact"}',
      '',
      'not called: processOutputStream of keyword',
      '',
      'tools: clock (write, allow when untrusted)',
    ].join('\n'),
  );
});

test('The text of a plan marks the entries that a list of the caller replaces, if callers may list any', () => {
  const applied = appliedAgent('demo', 3);
  const { pii } = applied.plan.entries;
  const entries = pii ? { pii: { ...pii, required: false } } : {};
  const planWith = (more: object) => formatPlan({ ...applied, plan: { ...applied.plan, entries, ...more } });
  expect(planWith({ overridable: {} })).toContain('fail, replaceable ');
  expect(planWith({})).not.toContain('replaceable');
  expect(formatPlan({ ...applied, plan: { ...applied.plan, overridable: {} } })).not.toContain('replaceable');
});

test('The text of events lists verdicts and times by stage, and skipped entries with the reason', () => {
  const at = { at: '2026-11-01T10:00:00.000Z', epoch: 1, step: 0 };
  const entry = { processor: 'pii', ms: 1.25, attempts: 1, replica: 'r1' };
  const failure = { code: 'processor-timeout' as const, message: 'no answer' };
  const events: RunEvent[] = [
    { event: 'stage', ...at, stage: 'processInput', ms: 3, entries: [{ ...entry, entry: 'pii', verdict: 'continue' }] },
    {
      event: 'stage',
      ...at,
      stage: 'processOutputStep',
      ms: 9.5,
      entries: [
        { ...entry, entry: 'strict', verdict: 'abort', reason: 'card number' },
        {
          ...entry,
          entry: 'recall',
          processor: 'semantic-recall',
          verdict: 'failure',
          attempts: 2,
          skipped: true,
          error: failure,
        },
      ],
    },
    {
      event: 'model',
      ...at,
      model: 'openai/x',
      call: 1,
      ms: 420,
      finishReason: 'stop',
      usage: { totalTokens: 12 },
      fromCache: false,
    },
    { event: 'tool', ...at, step: 1, tool: 'clock', toolCallId: 'c1', ms: 2, isError: false, denied: true },
    { event: 'run', ...at, status: 'aborted' },
  ];
  const rows = formatEvents(events)
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['STEP', 'STAGE', 'ENTRY', 'VERDICT', 'MS', 'REPLICA', 'NOTE'],
    ['0', 'processInput', 'pii', 'continue', '1.3', 'r1', '3.0 in all'],
    ['0', 'processOutputStep', '9.5', 'in all'],
    ['0', 'processOutputStep', 'strict', 'abort', '1.3', 'r1', 'pii; card number'],
    [
      '0',
      'processOutputStep',
      'recall',
      'failure, skipped',
      '1.3',
      'r1',
      'semantic-recall; no answer (processor-timeout); 2 attempts',
    ],
    ['0', 'model', 'openai/x', 'stop', '420.0', 'call 1; 12 tokens'],
    ['1', 'tool', 'clock', 'denied', '2.0', 'c1'],
    ['0', 'run', 'aborted'],
  ]);
});
