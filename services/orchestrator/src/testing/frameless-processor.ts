// A processor of the output stream that drops chunks of some types.
import { defineProcessor } from '@millrace/testkit';
import { z } from 'zod';

export const framelessProcessor = defineProcessor({
  id: 'frameless',
  description: 'drops where a step begins, or ends',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ types: z.array(z.string()).default(['step-start']), of: z.string().default('') }),
  create: ({ types, of }) => ({
    id: 'frameless',
    processOutputStream: async ({ part }) =>
      types.includes(part.type) && JSON.stringify(part).includes(of) ? null : part,
  }),
});
