// The files of a new processor: a program that works as it is, an agent that uses it, and what an editor needs to know its types.
// Pure. The README shows the same program.

export type ScaffoldFile = { name: string; text: string };

/**
 * @param id a token: the processor's, its service's and its agent's
 * @param baseConfig path of the checkout's tsconfig.base.json, as seen from the files
 */
export function processorScaffold(id: string, baseConfig: string): ScaffoldFile[] {
  return [
    { name: 'main.ts', text: program(id) },
    { name: 'agent.yaml', text: agent(id) },
    { name: 'tsconfig.json', text: `${JSON.stringify({ extends: baseConfig }, null, 2)}\n` },
  ];
}

const program = (id: string): string => `import { defineProcessor, runProcessorService } from '@millrace/processor';
import { z } from 'zod';

const processor = defineProcessor({
  id: '${id}',
  description: 'Blocks input in capitals.',
  stages: ['processInput'],
  reads: ['input'],
  options: z.strictObject({ maxCapitals: z.int().min(0).default(20) }),
  create: ({ maxCapitals }) => ({
    processInput({ messageList, abort }) {
      const capitals = messageList.getLatestUserContent().replaceAll(/[^A-Z]/g, '').length;
      if (capitals > maxCapitals) abort('Please do not shout.');
    },
  }),
});

await runProcessorService({ name: '${id}', version: '1.0.0', processors: [processor] });
`;

const agent = (id: string): string => `name: '${id}'
model: \${MODEL:-openai/gpt-5-mini}
instructions: You are a helpful assistant.
input: ['${id}']
`;
