// A schema is checked on a thread of its own: starting it takes a second.
import { stopOf } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { answerArgs, validate } from '../testing/validated-answer.ts';
import { closeThreads } from '../work/task.ts';

afterAll(closeThreads);

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

describe('an answer to a schema', () => {
  test('passes where it keeps it', async () => {
    const args = answerArgs('{"a": 1}');
    expect(await validate({ jsonSchema: schema }, args)).toBeUndefined();
    expect(args.violations).toEqual([]);
  });
  test.each([
    ['{"a": "x"}', '/a must be integer'],
    ['a is 1', 'it is not JSON'],
  ])('%s is asked for again, told what is wrong and nothing of the answer', async (bad, say) => {
    const args = answerArgs(bad);
    const stop = await stopOf(() => validate({ jsonSchema: schema }, args));
    expect(stop).toMatchObject({ kind: 'abort', reason: expect.stringContaining(say), options: { retry: true } });
    expect(JSON.stringify(stop)).not.toContain(bad);
    expect(args.violations).toMatchObject([{ strategy: 'block' }]);
  });
});

test('a schema whose pattern never ends holds up nobody else, and ends with its call', async () => {
  const endless = { jsonSchema: { type: 'string', pattern: '^(a+)+$' } };
  const given = new AbortController();
  const args = { ...answerArgs(JSON.stringify(`${'a'.repeat(40)}!`)), abortSignal: given.signal };
  const judged = Promise.resolve(validate(endless, args));
  setTimeout(() => given.abort(), 1);
  await expect(judged).rejects.toMatchObject({ code: 'processor-timeout' });
});
