import { expect, test } from 'vitest';
import { found } from '../testing/known-processors.ts';
import { useOf } from './entry-uses.ts';
import { groupIssues } from './groups.ts';

const optionsSchema = { type: 'object', properties: { strategy: { enum: ['redact', 'block'], default: 'redact' } } };
const changes = { processInput: { option: 'strategy', values: ['redact'] } };
const guard = found('guard', ['processInput'], { optionsSchema, changes });
const known = { processors: new Map([['guard', guard]]), tools: new Map(), refused: [] };

function issues(options?: { strategy: string }) {
  const entry = { use: 'guard', ...(options && { options }) };
  const made = useOf({ list: 'input', path: 'input[0].parallel[0]', group: 'input[0]', entry }, known);
  return 'use' in made ? groupIssues([made.use]) : [made.issue];
}

test('a member of a parallel group that changes something with its options is refused when the agent is applied', () => {
  const refused = [{ code: 'agent-invalid', message: expect.stringContaining('processInput with these options') }];
  expect(issues({ strategy: 'redact' })).toMatchObject(refused);
  expect(issues()).toMatchObject(refused);
});

test('a member of a parallel group that changes nothing with its options may be there', () => {
  expect(issues({ strategy: 'block' })).toEqual([]);
});
