// A definition of an agent with a mark in every text, its processors and its tools: an answer with a mark shows the part
// of the definition that the mark names.
import type { DefinitionPart } from '@millrace/contracts';
import { defineProcessor, defineTool } from '@millrace/testkit';
import { z } from 'zod';

/** Marks by their place. `hidden`: no end client may read it. */
export type MarkedPart = DefinitionPart | 'hidden';
const marks = new Map<string, MarkedPart>();

function mark(part: MarkedPart, place: string): string {
  const text = `zq-${place}-qz`;
  marks.set(text, part);
  return text;
}

/** Returns the marks of a text with their parts. */
export const findMarks = (text: string): { mark: string; part: MarkedPart }[] =>
  [...marks].filter(([one]) => text.includes(one)).map(([one, part]) => ({ mark: one, part }));
export const listMarks = (): ReadonlyMap<string, MarkedPart> => marks;

export const AGENT = mark('agents', 'agent');
const PROCESSOR = mark('names', 'processor');
const TOOL = mark('names', 'tool');
const ASKING = mark('names', 'asking');
/** Its output is blocked by a rule of regex-filter. */
export const BLOCKED_WORD = 'sesame';

export const processors = [
  defineProcessor({
    id: PROCESSOR,
    description: mark('hidden', 'processor-description'),
    stages: ['processInput', 'processOutputResult'],
    reads: ['input', 'response'],
    options: z.looseObject({ given: z.string().describe(mark('hidden', 'option-schema')) }),
    create: () => ({ id: PROCESSOR, processInput: () => undefined, processOutputResult: () => undefined }),
  }),
];

export const tools = [
  defineTool({
    name: TOOL,
    description: mark('hidden', 'tool-description'),
    effect: 'read',
    inputSchema: z.strictObject({ text: z.string().describe(mark('hidden', 'tool-schema')) }),
    execute: () => 'done',
  }),
  defineTool({
    name: ASKING,
    description: mark('hidden', 'asking-description'),
    inputSchema: z.strictObject({}),
    execute: (_args, { suspend, resumeData }) =>
      resumeData === undefined ? suspend({ question: 'Which city?' }) : 'answered',
  }),
];
export const toolNames = { tool: TOOL, asking: ASKING };

const entry = (list: string) => ({
  use: PROCESSOR,
  as: mark('names', `${list}-entry`),
  options: {
    given: mark('hidden', `${list}-option`),
    deep: [{ [mark('hidden', `${list}-key`)]: [mark('hidden', `${list}-deep`)] }],
  },
});
const rule = (list: string) => ({
  use: 'regex-filter',
  as: mark('names', `${list}-filter`),
  options: {
    rules: [{ pattern: `${BLOCKED_WORD}|${mark('hidden', `${list}-pattern`)}`, name: 'word' }],
    mark: mark('hidden', `${list}-replacement`),
  },
});

/** Every member of the schema of agents that can hold a text of its author. */
export const definition = {
  name: AGENT,
  description: mark('public', 'description'),
  model: `openai/${mark('model', 'model')}`,
  instructions: [mark('hidden', 'instruction-one'), mark('hidden', 'instruction-two')],
  tools: [{ use: TOOL, whenUntrusted: 'allow', resultTrust: 'inherit' }, ASKING],
  input: [
    entry('input'),
    rule('input'),
    {
      use: 'keyword',
      as: mark('names', 'conditional'),
      options: { keywords: [mark('hidden', 'keyword')] },
      when: { context: mark('hidden', 'when-key'), equals: mark('hidden', 'when-value') },
    },
  ],
  output: [entry('output'), rule('output')],
  error: [],
  memory: { lastMessages: 5, workingMemory: { template: mark('hidden', 'template') } },
  callerRoles: ['user', 'assistant', 'tool'],
  questions: [ASKING],
  overrides: ['pii', PROCESSOR],
  callerSettings: ['temperature'],
  clientTools: [mark('public', 'client-tool')],
  prices: { [`openai/${mark('hidden', 'priced-model')}`]: { input: 1, output: 1 } },
  modelSettings: { stopSequences: [mark('hidden', 'stop-sequence')] },
  providerOptions: { openai: { user: mark('hidden', 'provider-option') } },
  structuredOutput: {
    name: mark('hidden', 'form-name'),
    schema: {
      type: 'object',
      description: mark('hidden', 'form-description'),
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

/** Members of a definition without a text of the author: numbers, and words of a fixed list. */
export const WITHOUT_TEXT: readonly string[] = [
  'definitionTrust',
  'error',
  'failover',
  'flushMs',
  'maxProcessorRetries',
  'maxSteps',
  'raw',
  'files',
  'record',
  'release',
];
