import type { SrvInfo } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { selectValid } from './read-answers.ts';

const info: SrvInfo = {
  type: 'io.nats.micro.v1.info_response',
  name: 'guards',
  id: 'one',
  version: '1.0.0',
  metadata: {},
  description: '',
  endpoints: [],
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value));
const NONE: ReadonlySet<string> = new Set();

test('Answers that are no advertisement are removed', () => {
  const junk = [Buffer.from(''), Buffer.from('junk'), encode({ ...info, endpoints: 'none' })];
  expect(selectValid([...junk, encode(info)], NONE)).toMatchObject([{ info }]);
});

test('Equal answers have one hash, and different ones have two', () => {
  const answers = [info, info, { ...info, description: 'changed' }].map(encode);
  const [one, same, changed] = selectValid(answers, NONE).map(({ hash }) => hash);
  expect(same).toBe(one);
  expect(changed).not.toBe(one);
});

test('A known answer is not decoded', () => {
  const known = new Set(selectValid([encode(info)], NONE).map(({ hash }) => hash));
  expect(selectValid([encode(info)], known)).toEqual([{ hash: [...known][0], data: encode(info) }]);
});
