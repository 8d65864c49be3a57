import { expect, test } from 'vitest';
import { COMMON_VERSION, chooseRecordVersion, chooseRequestVersion } from './stored-version.ts';

test.each([
  [{}, COMMON_VERSION],
  [{ release: undefined }, COMMON_VERSION],
  [{ release: 'step' }, 4],
  [{ structuredOutput: { schema: {} } }, 4],
  [{ modelSettings: {} }, 4],
  [{ toolChoice: 'none' }, 4],
  [{ toolChoice: 'none', clientTools: [] }, 5],
  [{ parallelToolCalls: false }, 5],
  [{ replaces: ['m1'] }, 6],
  [{ opened: {} }, 8],
  [{ budget: { account: 'a' } }, 10],
])('The command and the first record of a request with %j have the version %i', (request, version) => {
  expect(chooseRequestVersion(request)).toBe(version);
  expect(chooseRecordVersion([{ action: 'begun', request }, { action: 'input-passed' }])).toBe(version);
});

test.each([
  { action: 'begun', request: {}, applied: { plan: { files: 'judged' }, agent: { model: 'openai/a' } } },
  { action: 'files-passed', files: [] },
])('A record with %j has the version of judged files', (action) => {
  expect(chooseRecordVersion([action])).toBe(7);
});

test('A record without a request has the common version', () => {
  expect(chooseRecordVersion([{ action: 'input-passed' }])).toBe(COMMON_VERSION);
  expect(chooseRecordVersion([])).toBe(COMMON_VERSION);
});

test.each([
  { action: 'begun', request: {}, applied: { plan: {}, agent: { model: ['openai/a', 'openai/b'] } } },
  { action: 'begun', request: {}, applied: { plan: {}, agent: { model: 'groq/a' } } },
  { action: 'model-failed', failure: { candidate: 0, cause: 'network' } },
])('A record with %j has the version of candidates', (action) => {
  expect(chooseRecordVersion([action])).toBe(9);
});

test('A record of an agent with one model of the earliest providers has the common version', () => {
  const begun = { action: 'begun', request: {}, applied: { plan: {}, agent: { model: 'openai-chat/a' } } };
  expect(chooseRecordVersion([begun])).toBe(COMMON_VERSION);
});
