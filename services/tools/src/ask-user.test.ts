import { StopError, type ToolContext } from '@millrace/processor';
import { describe, expect, test } from 'vitest';
import { askUser } from './ask-user.ts';

/** What it asks, or answers. */
async function call(args: object, resumeData?: ToolContext['resumeData']) {
  const suspend: ToolContext['suspend'] = (payload) => {
    throw new StopError({ kind: 'suspend', payload });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the tool uses of it
  const context = { suspend, ...(resumeData !== undefined && { resumeData }) } as ToolContext;
  return askUser.execute(args, context).catch((error: unknown) => {
    if (StopError.isInstance(error)) return error.stop;
    throw error;
  });
}

describe('a question', () => {
  test('is asked before anything is answered', async () => {
    const asked = await call({ question: 'Which one?', choices: ['a', 'b'] });
    expect(asked).toEqual({ kind: 'suspend', payload: { question: 'Which one?', choices: ['a', 'b'] } });
  });

  test.each(['the first', null, { city: 'Oslo' }])(
    'is answered with what was said, whatever it is: %j',
    async (data) => {
      expect(await call({ question: 'Which one?' }, data)).toEqual({ answer: data });
    },
  );

  test('that is empty is refused', async () => {
    await expect(call({ question: '' })).rejects.toMatchObject({ code: 'tool-arguments-invalid', path: 'question' });
  });
});
