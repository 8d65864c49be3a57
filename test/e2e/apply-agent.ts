// An agent of a test.
import type { TestStack } from '@millrace/testkit';

/** @returns applies an agent with these lists, and gives its name back: what a run is started with */
export const applying =
  (stack: TestStack) =>
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
