import { describe, expect, test } from 'vitest';
import { API } from './api.ts';
import { MillraceError } from '../base/errors.ts';
import {
  LOG_SHARDS,
  buildAgentKey,
  createNames,
  createSubjects,
  readLastToken,
  logShard,
  stateKeys,
  readApiAddress,
  readControlAddress,
} from './subjects.ts';

const subjects = createSubjects();
const PII = { service: 'guardrails', processor: 'pii' };
const ACME = { tenant: 'acme', caller: 'c1' };
const RUN1 = { ...ACME, run: 'run1' };

describe('subjects of the architecture', () => {
  test.each([
    [subjects.stage('processInput', PII), 'mr.v1.stage.processInput.guardrails.pii'],
    [subjects.stage('processInput', PII, 'r1'), 'mr.v1.stage.processInput.guardrails.pii.r1'],
    [subjects.session('guardrails', 'r1', 's1'), 'mr.v1.session.guardrails.r1.s1'],
    [subjects.allSessions('guardrails', 'r1'), 'mr.v1.session.guardrails.r1.*'],
    [subjects.out('o1', 's1'), 'mr.v1.out.o1.s1'],
    [subjects.allOuts('o1'), 'mr.v1.out.o1.*'],
    [subjects.tool('tools', 'clock'), 'mr.v1.tool.tools.clock'],
    [subjects.api('submit', RUN1), 'mr.v1.api.submit.acme.c1.run1'],
    [subjects.api('agents-list', ACME), 'mr.v1.api.agents-list.acme.c1'],
    [subjects.apiOfAll('submit', true), 'mr.v1.api.submit.*.*.*'],
    [subjects.apiOfAll('agents-list', false), 'mr.v1.api.agents-list.*.*'],
    [subjects.chunks('acme', 'c1', 'run1'), 'mr.v1.chunks.acme.c1.run1'],
    [subjects.chunksOfAnyCaller('acme', 'run1'), 'mr.v1.chunks.acme.*.run1'],
    [subjects.log('acme', 'run1', 'chunks'), 'mr.v1.log.15.acme.run1.chunks'],
    [subjects.log('acme', 'run1', 'retract'), 'mr.v1.log.15.acme.run1.retract'],
    [subjects.runLog('acme', 'run1'), 'mr.v1.log.15.acme.run1.*'],
    [subjects.shardLogs(3), 'mr.v1.log.3.>'],
    [subjects.logs, 'mr.v1.log.>'],
    [subjects.events('0', 'acme', 'run1'), 'mr.v1.events.0.acme.run1'],
    [subjects.allEvents, 'mr.v1.events.>'],
    [subjects.runs(3, 'acme'), 'mr.v1.runs.3.acme'],
    [subjects.runsOfShard(3), 'mr.v1.runs.3.*'],
    [subjects.allRuns, 'mr.v1.runs.*.*'],
    [subjects.unshardedRuns, 'mr.v1.runs.*'],
    [subjects.control('acme', 'run1'), 'mr.v1.control.acme.run1'],
    [subjects.controls, 'mr.v1.control.*.*'],
    [subjects.cancelCalls('guardrails'), 'mr.v1.cancel.guardrails'],
    [subjects.patterns.stages('guardrails'), 'mr.v1.stage.*.guardrails.>'],
    [subjects.patterns.tools('*'), 'mr.v1.tool.*.*'],
    [subjects.patterns.sessions('guardrails'), 'mr.v1.session.guardrails.>'],
    [subjects.patterns.outs, 'mr.v1.out.*.*'],
    [subjects.patterns.api('submit', ACME, true), 'mr.v1.api.submit.acme.c1.*'],
    [subjects.patterns.api('agents-list', { tenant: '*', caller: 'c1' }, false), 'mr.v1.api.agents-list.*.c1'],
    [subjects.patterns.chunks('acme', 'c1'), 'mr.v1.chunks.acme.c1.*'],
    [subjects.patterns.timers, 'mr.v1.timers.>'],
  ])('%s', (subject, expected) => expect(subject).toBe(expected));
});

test('The prefix may have any number of tokens', () => {
  expect(createSubjects('acme.test.v2').tool('tools', 'clock')).toBe('acme.test.v2.tool.tools.clock');
  expect(createNames('acme.test.v2').runs).toBe('acme_test_v2_RUNS');
  expect(createNames('acme.test.v2').worker(3)).toBe('acme_test_v2_WORKER_3');
});

describe('ids that would change the meaning of a subject', () => {
  test.each(['', 'a.b', '*', '>', 'a b', 'ä', 'a\n', 'x'.repeat(65), '../x', '$SRV'])(
    'The id %j is rejected by name',
    (token) => {
      const attempts = [
        () => subjects.stage('processInput', { service: 'guardrails', processor: token }),
        () => subjects.stage('processInput', { service: token, processor: 'pii' }),
        () => subjects.stage('processInput', PII, token),
        () => subjects.chunks(token, 'c1', 'run1'),
        () => subjects.chunks('acme', token, 'run1'),
        () => subjects.chunksOfAnyCaller('acme', token),
        () => subjects.chunks('acme', 'c1', token),
        () => subjects.api('submit', { ...RUN1, tenant: token }),
        () => subjects.api('submit', { ...RUN1, caller: token }),
        () => subjects.cancelCalls(token),
        () => stateKeys.head('acme', token),
        () => buildAgentKey(token, 'demo'),
        () => subjects.patterns.chunks('acme', `${token}.`),
      ];
      for (const attempt of attempts) {
        expect(attempt).toThrow(
          expect.objectContaining({ code: 'token-invalid', message: expect.stringContaining(token) }),
        );
      }
    },
  );
});

test('A token of 64 characters is accepted', () => {
  expect(subjects.tool('tools', 'x'.repeat(64))).toContain('x'.repeat(64));
});

describe('reading tenant, caller and run back from a subject', () => {
  test.each(['mr.v1', 'one', 'a.b.c.d'])('Tenant, caller and run round-trip under the prefix %s', (prefix) => {
    const own = createSubjects(prefix);
    expect(readApiAddress(prefix, own.api('submit', RUN1))).toEqual(RUN1);
    expect(readApiAddress(prefix, own.api('agents-list', ACME))).toEqual(ACME);
    expect(readApiAddress(prefix, `${prefix}.api.agents-list.acme`)).toBeUndefined();
    expect(readControlAddress(prefix, own.control('acme', 'run1'))).toEqual({ tenant: 'acme', run: 'run1' });
  });
});

test('readLastToken returns the last token of a subject', () => {
  expect(readLastToken(subjects.out('o1', 's1'))).toBe('s1');
});

test('No two kinds of key in the state bucket can collide', () => {
  const keys = [
    stateKeys.head('a', 'b'),
    stateKeys.cancel('a', 'b'),
    stateKeys.record('a', 'b', '1'),
    stateKeys.head('a', 'b-1'),
    stateKeys.head('head', 'a'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

test('Every verb of the api is a token and has a subject', () => {
  for (const verb of Object.keys(API)) expect(() => subjects.tool('tools', verb)).not.toThrow(MillraceError);
});

test('Runs spread over the shards of the log for all forms of ids', () => {
  const counts = new Map<number, number>();
  for (let run = 0; run < 1_600; run++) {
    const shard = logShard('acme', `run-${run}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  expect(counts.size).toBe(LOG_SHARDS);
  expect(Math.max(...counts.values())).toBeLessThan(200);
});
