// A worker thread checks the schema; starting it takes a second.
import { catchStop } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { answerArgs, validate } from '../../testing/validated-answer.ts';
import { closeThreads } from '../../work/task.ts';

afterAll(closeThreads);

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

describe('answers with a schema', () => {
  test('the validator passes an answer that fits the schema', async () => {
    const args = answerArgs('{"a": 1}');
    expect(await validate({ jsonSchema: schema }, args)).toBeUndefined();
    expect(args.violations).toEqual([]);
  });
  test.each([
    ['{"a": "x"}', '/a must be integer'],
    ['a is 1', 'it is not JSON'],
  ])('the validator retries %s with the problem and without text of the answer', async (bad, say) => {
    const args = answerArgs(bad);
    const stop = await catchStop(() => validate({ jsonSchema: schema }, args));
    expect(stop).toMatchObject({ type: 'abort', reason: expect.stringContaining(say), retry: true });
    expect(JSON.stringify(stop)).not.toContain(bad);
    expect(args.violations).toMatchObject([{ strategy: 'block' }]);
  });
});

test('a schema with an endless pattern blocks no other call and ends with its own', async () => {
  const endless = { jsonSchema: { type: 'string', pattern: '^(a+)+$' } };
  const given = new AbortController();
  const args = { ...answerArgs(JSON.stringify(`${'a'.repeat(40)}!`)), abortSignal: given.signal };
  const judged = Promise.resolve(validate(endless, args));
  setTimeout(() => given.abort(), 1);
  await expect(judged).rejects.toMatchObject({ code: 'processor-timeout' });
});
