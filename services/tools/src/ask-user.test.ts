import { StopError, type ToolContext } from '@millrace/processor';
import { describe, expect, test } from 'vitest';
import { askUser } from './ask-user.ts';

/** The question or the answer of a call. */
async function call(args: object, resumeData?: ToolContext['resumeData']) {
  const suspend: ToolContext['suspend'] = (payload) => {
    throw new StopError({ type: 'suspend', payload });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the tool uses of it
  const context = { suspend, ...(resumeData !== undefined && { resumeData }) } as ToolContext;
  return askUser.execute(args, context).catch((error: unknown) => {
    if (StopError.isInstance(error)) return error.verdict;
    throw error;
  });
}

describe('the tool ask-user', () => {
  test('ask-user suspends the call with its question before any answer', async () => {
    const asked = await call({ question: 'Which one?', choices: ['a', 'b'] });
    expect(asked).toEqual({ type: 'suspend', payload: { question: 'Which one?', choices: ['a', 'b'] } });
  });

  test.each(['the first', null, { city: 'Oslo' }])('ask-user returns any answer as it was given: %j', async (data) => {
    expect(await call({ question: 'Which one?' }, data)).toEqual({ answer: data });
  });

  test('ask-user rejects an empty question', async () => {
    await expect(call({ question: '' })).rejects.toMatchObject({ code: 'tool-arguments-invalid', path: 'question' });
  });
});
