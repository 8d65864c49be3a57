// Processors that judge, add and replace files, for tests with `files` of an agent.
import type { Message, MessagePart } from '@millrace/contracts';
import { defineMethods, defineProcessor } from '@millrace/testkit';
import { z } from 'zod';

export type File = Extract<MessagePart, { type: 'file' }>;
export const PNG = 'iVBORw0KGgo=';
/** Another file than PNG. */
export const BAD_PNG = 'iVBORw0KGgoA';
export const makeFile = (mimeType: string, data: string): File => ({ type: 'file', mimeType, data });

export const withParts = (id: string, role: Message['role'], parts: MessagePart[]): Message => ({
  id,
  role,
  createdAt: '2026-01-01T00:00:00.000Z',
  content: { format: 2, parts },
});

/** The bytes of the files of each call of `seeing`. */
export const seen: string[][] = [];

/** Declares the kinds of its option, and rejects the file that the option names. */
export const seeing = defineProcessor({
  id: 'seeing',
  description: 'judges files',
  stages: ['processInput'],
  reads: ['input'],
  judgesFiles: { option: 'kinds' },
  options: z.strictObject({
    kinds: z.array(z.enum(['image', 'document'])).default([]),
    rejects: z.string().default(''),
    drops: z.string().default(''),
    fails: z.boolean().default(false),
    asks: z.boolean().default(false),
    blurs: z.boolean().default(false),
  }),
  create: ({ rejects, drops, fails, asks, blurs }) => ({
    id: 'seeing',
    processInput: ({ messages, abort, suspend, resumeData }) => {
      const files = listFiles(messages);
      seen.push(files);
      if (asks && resumeData === undefined) return suspend({ question: 'sure?' });
      if (fails && files.length > 0) throw new Error('unavailable');
      if (rejects !== '' && files.includes(rejects)) return abort('A file is rejected.');
      if (blurs) return messages.map(blur);
      return drops === '' ? undefined : messages.filter((message) => !listFiles([message]).includes(drops));
    },
  }),
});

/** Puts PNG in place of BAD_PNG. */
const blur = (message: Message): Message => {
  const parts = message.content.parts.map((part) =>
    part.type === 'file' && part.data === BAD_PNG ? { ...part, data: PNG } : part,
  );
  return { ...message, content: { ...message.content, parts } };
};

const listFiles = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) => content.parts.flatMap((part) => (part.type === 'file' ? [part.data] : [])));

const LABEL = { origin: 'caller', trust: 'trusted', judged: ['seeing'], passed: true };
const options = z.strictObject({ data: z.string().default(PNG) });
/** Adds an image, with a label of its own, to the messages. */
export const adding = defineProcessor({
  id: 'adding',
  description: 'adds an image to the messages',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: ({ data }) => ({
    id: 'adding',
    processInput: ({ messages }) => [
      ...messages,
      withParts('added', 'user', [{ ...makeFile('image/png', data), label: LABEL, passedFiles: [data] }]),
    ],
  }),
});

export const prompting = defineProcessor({
  id: 'prompting',
  description: 'adds an image to the prompt',
  stages: ['processLLMRequest'],
  reads: ['prompt'],
  options,
  create: ({ data }) => ({
    id: 'prompting',
    processLLMRequest: ({ prompt }) => ({
      prompt: [
        ...prompt,
        {
          role: 'user' as const,
          content: [{ type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data } }],
        },
      ],
    }),
  }),
});

/** Suspends each step until it is answered. */
export const asking = defineMethods('asking', {
  processInputStep: ({ resumeData, suspend }) =>
    resumeData === undefined ? suspend({ question: 'sure?' }) : undefined,
});
