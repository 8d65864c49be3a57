// Options of the judge processor.
import { fileKindSchema, modelIdSchema } from '@millrace/contracts';
import { z } from 'zod';
import { PLACES, type TextPlaceName } from '../../guard/places.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { modelTimeoutOption } from '../../model/model-options.ts';
import { BOUNDS } from '../../work/bounds.ts';

const PRESETS = ['topics', 'competitors', 'grounding', 'tool-alignment'] as const;
export type Preset = (typeof PRESETS)[number];

/** Places that a question or preset judges if `on` is absent. */
export const DEFAULT_PLACES: Readonly<Record<Preset | 'question', readonly TextPlaceName[]>> = {
  question: ['input', 'output'],
  topics: ['input', 'output'],
  competitors: ['output'],
  grounding: ['output'],
  'tool-alignment': ['toolCall'],
};

const INPUTS = ['request', 'sources'] as const;
export type JudgedInput = (typeof INPUTS)[number];
/** Inputs in addition to the judged text if `include` is absent. */
export const DEFAULT_INPUTS: Readonly<Record<Preset | 'question', readonly JudgedInput[]>> = {
  question: [],
  topics: [],
  competitors: [],
  grounding: ['request', 'sources'],
  'tool-alignment': ['request'],
};

/** Returns the presets that judge the place by default. */
function selectPresets(place: TextPlaceName): Preset[] {
  return PRESETS.filter((preset) => DEFAULT_PLACES[preset].includes(place));
}

const hasText = /\S/;
const MAX_QUESTION = 4_000;
const MAX_NAMES = 200;
const MAX_NAME = 200;
const MAX_CACHE_MS = 86_400_000;

const defineNamesOption = (what: string) =>
  z.array(z.string().max(MAX_NAME).regex(hasText, 'expected a name')).min(1).max(MAX_NAMES).optional().describe(what);

const hasPreset = (preset: Preset) => ({ required: ['preset'], properties: { preset: { const: preset } } });
const judgesOnly = (place: TextPlaceName) => ({ properties: { on: { items: { const: place } } } });

/** The input is among the judged places. */
const JUDGES_INPUT = {
  anyOf: [
    { required: ['on'], properties: { on: { contains: { const: 'input' } } } },
    { properties: { on: false, preset: { enum: selectPresets('input') } } },
  ],
};

/** JSON Schema of "if the first is true, so is the second". */
const implies = (condition: object, consequence: object) => ({ anyOf: [{ not: condition }, consequence] });

/** JSON Schema of the same conditions as `findProblems`, so that `agents apply` rejects the options. */
const CONDITIONS = {
  anyOf: [{ required: ['question'] }, { required: ['preset'] }],
  allOf: [
    implies({ required: ['question'] }, { properties: { preset: false } }),
    implies(hasPreset('topics'), { anyOf: [{ required: ['allowedTopics'] }, { required: ['deniedTopics'] }] }),
    { anyOf: [hasPreset('topics'), { properties: { allowedTopics: false, deniedTopics: false } }] },
    implies(hasPreset('competitors'), { required: ['competitors'] }),
    { anyOf: [hasPreset('competitors'), { properties: { competitors: false } }] },
    implies(hasPreset('grounding'), judgesOnly('output')),
    implies(hasPreset('tool-alignment'), judgesOnly('toolCall')),
    implies({ required: ['files'] }, JUDGES_INPUT),
  ],
};

export const judgeOptions = z
  .strictObject({
    model: modelIdSchema.describe('Model that judges, as a router id such as openai/gpt-5-mini.'),
    question: z
      .string()
      .max(MAX_QUESTION)
      .regex(hasText, 'expected a question')
      .optional()
      .describe('Question about a text, to be answered with yes or no. The answer yes is a violation.'),
    preset: z
      .enum(PRESETS)
      .optional()
      .describe(
        'Instead of `question`. topics: a denied topic, or none of the allowed ones. competitors: a mention of an organization of the list. grounding: a statement of fact without support in the request and the sources. tool-alignment: a tool call that the request does not need.',
      ),
    allowedTopics: defineNamesOption(
      'Topics of the preset topics. A text about none of them is a violation (off-topic).',
    ),
    deniedTopics: defineNamesOption(
      'Topics of the preset topics. A text about one of them is a violation (denied-topic).',
    ),
    competitors: defineNamesOption('Organizations of the preset competitors.'),
    on: z
      .array(z.enum(PLACES))
      .min(1)
      .optional()
      .describe(
        'Judged texts: the messages of the caller, the answer, tool calls, tool results. Default: input and output; competitors and grounding output, tool-alignment toolCall.',
      ),
    files: z
      .array(fileKindSchema)
      .min(1)
      .optional()
      .describe(
        'Kinds of files in the messages of the caller that the model judges, each in a call of its own: images, and documents as PDF. The model has to read them. Default: none.',
      ),
    include: z
      .array(z.enum(INPUTS))
      .optional()
      .describe(
        'Other inputs that the model reads to judge a text. request: the conversation up to the answer, without tools. sources: system messages, tool results and remembered messages. Default: none; grounding both, tool-alignment request.',
      ),
    threshold: z
      .number()
      .gt(0)
      .max(1)
      .default(0.5)
      .describe('Likelihood (0 to 1) at or above which the model’s answer is a violation.'),
    strategy: z
      .enum(['block', 'warn', 'filter', 'retry'])
      .default('block')
      .describe(
        'block: stop the run. warn: report only. filter: drop the message, the tool result, or in an answer the window, and deny the tool call. retry: call the agent’s model again with the reason; input and tools are blocked.',
      ),
    maxRetries: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe('Maximum number of retries of the strategy retry. The agent’s maxProcessorRetries also applies.'),
    window: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .describe(
        'Length of a window of the streamed answer that is buffered and judged at once, in code units. 0: the whole text of a part.',
      ),
    context: z.int().min(0).max(10_000).default(200).describe('Overlap with the preceding window, in code units.'),
    maxCharacters: z
      .int()
      .min(1_000)
      .max(BOUNDS.modelText)
      .default(BOUNDS.modelText)
      .describe(
        'Maximum length of all inputs of one model call, in code units. Old sources are cut; a longer text is blocked.',
      ),
    cacheMs: z
      .int()
      .min(0)
      .max(MAX_CACHE_MS)
      .default(600_000)
      .describe('Maximum age in milliseconds of a cached answer about the same inputs. 0: ask each time.'),
    modelTimeoutMs: modelTimeoutOption,
    response: responseOption,
  })
  .superRefine((options, context) => {
    for (const { message, path } of findProblems(options)) context.addIssue({ code: 'custom', message, path: [path] });
  })
  .meta(CONDITIONS);
export type JudgeGuardOptions = z.output<typeof judgeOptions>;

type OptionProblem = { message: string; path: string };
type GivenQuestions = Partial<
  Record<'question' | 'preset', string> &
    Record<'allowedTopics' | 'deniedTopics' | 'competitors' | 'on' | 'files', string[]>
>;

function findProblems(options: { [K in keyof GivenQuestions]: GivenQuestions[K] | undefined }): OptionProblem[] {
  const { question, preset, allowedTopics, deniedTopics, competitors, on, files } = options;
  if ((question === undefined) === (preset === undefined))
    return [{ message: 'set either a question or a preset', path: 'question' }];
  const topics = [allowedTopics, deniedTopics].filter((list) => list !== undefined);
  const isWrong: Record<string, boolean> = {
    'the preset topics needs allowedTopics or deniedTopics': preset === 'topics' && topics.length === 0,
    'allowedTopics and deniedTopics belong to the preset topics': preset !== 'topics' && topics.length > 0,
    'the preset competitors needs competitors': preset === 'competitors' && competitors === undefined,
    'competitors belong to the preset competitors': preset !== 'competitors' && competitors !== undefined,
    'the preset grounding judges only output': preset === 'grounding' && isOther(on, 'output'),
    'the preset tool-alignment judges only toolCall': preset === 'tool-alignment' && isOther(on, 'toolCall'),
    'files belong to the judged place input':
      files !== undefined && !(on ?? DEFAULT_PLACES[choosePreset(preset)]).includes('input'),
  };
  return Object.entries(isWrong).flatMap(([message, wrong]) => (wrong ? [{ message, path: 'preset' }] : []));
}

const choosePreset = (preset: string | undefined): Preset | 'question' =>
  PRESETS.find((known) => known === preset) ?? 'question';

const isOther = (on: readonly string[] | undefined, place: TextPlaceName): boolean =>
  on?.some((one) => one !== place) ?? false;
