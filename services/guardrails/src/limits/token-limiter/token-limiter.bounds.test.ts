import { resultArgs } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { assistant } from '../../testing/messages.ts';
import { tokenLimiter } from './token-limiter.ts';

test('the limiter truncates an answer of a megabyte to the words that fit', async () => {
  const args = resultArgs([assistant('a1', 'word '.repeat(200_000))]);
  const limiter = tokenLimiter.create(tokenLimiter.options.parse({ limit: 3 }));
  await limiter.processOutputResult?.(args);
  expect(args.messageList.get.response.db()[0]?.content.parts).toEqual([{ type: 'text', text: 'word word word' }]);
});
