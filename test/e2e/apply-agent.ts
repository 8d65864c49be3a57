// Applies the agent of a test.
import type { TestStack } from '@millrace/testkit';

/** @returns a function that applies an agent with these lists and returns its name */
export const applying =
  (stack: Pick<TestStack, 'client'>) =>
  async (name: string, lists: object): Promise<string> => {
    await stack.client.agents.apply({
      name,
      model: 'openai/gpt-5-mini',
      flushMs: 0,
      instructions: 'Answer.',
      ...lists,
    });
    return name;
  };
