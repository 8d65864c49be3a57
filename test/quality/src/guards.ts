// The guards in an agent's configuration: the normalizer before prompt-injection for a user's text, prompt-injection
// alone for a tool's. pii judges the plain text, because labels have places in it.
import { buildTextMessage, type JsonObject, type JsonValue, type StageInput } from '@millrace/contracts';
import {
  createProcessorChain,
  describeProcessor,
  loadProcessors,
  type ProcessorDefinition,
} from '@millrace/testkit/in-process';
import { z } from 'zod';
import { readSpans, toJudgement, type FoundSpans, type GuardModel, type SampleJudgement } from './read-verdicts.ts';

export type Guards = {
  /** @param texts the user's messages, in order */
  judgeUser(texts: readonly string[]): Promise<SampleJudgement>;
  judgeTool(result: JsonValue): Promise<SampleJudgement>;
  findPersonalData(text: string): Promise<FoundSpans>;
  /** All types that the pii processor detects. */
  piiTypes: readonly string[];
};

const INJECTION = 'prompt-injection';
/** Id of the scripted model. */
export const JUDGE = 'openai-chat/judge';

/** Rule of a hit that only the model found. */
export const MODEL_RULE = 'model';
const notes = {
  name: 'notes',
  description: '',
  inputSchema: {},
  subject: 'tool.notes',
  idempotent: true,
  timeoutMs: 1,
};

/** @param options of prompt-injection @param model absent: rules only */
export async function createGuards(options: JsonObject = {}, model?: GuardModel): Promise<Guards> {
  const definitions = await loadProcessors('guardrails', model?.baseUrl);
  const piiTypes = listOptionValues(definitions, 'pii', 'types');
  const injection = {
    processor: INJECTION,
    options: { ...(model && { model: JUDGE }), ...options },
    skippable: model?.onFailure === 'skip',
  };
  const user = createProcessorChain(definitions, [{ processor: 'unicode-normalizer' }, injection]);
  const tool = createProcessorChain(definitions, [injection]);
  const pii = createProcessorChain(definitions, [{ processor: 'pii', options: { types: piiTypes } }]);
  return {
    piiTypes,
    judgeUser: async (texts) => toJudgement(await user.call('processInput', buildUserInput(texts)), 1, model),
    judgeTool: async (result) => {
      const toolCall = { toolCallId: 'c1', toolName: notes.name, args: {} };
      const input = { ...buildUserInput([]), toolCall, tool: notes, result, isError: false };
      return toJudgement(await tool.call('processToolResult', input), 0, model);
    },
    findPersonalData: async (text) => readSpans(await pii.call('processInput', buildUserInput([text]))),
  };
}

export const buildUserInput = (texts: readonly string[]): Partial<StageInput> => ({
  conversation: {
    entries: texts.map((text, at) => ({ source: 'input', message: buildTextMessage(`m${at}`, 'user', text) })),
    system: [],
  },
});

const optionSchema = z.object({ items: z.object({ enum: z.array(z.string()) }) });
const propertiesSchema = z.object({ properties: z.record(z.string(), z.unknown()) });
/** Lists the values that an option of a processor allows. @throws if the option is no list of an enum */
export function listOptionValues(definitions: readonly ProcessorDefinition[], id: string, option: string): string[] {
  const definition = definitions.find((one) => one.id === id);
  if (!definition) throw new Error(`There is no processor ${id}.`);
  const { properties } = propertiesSchema.parse(describeProcessor(definition).optionsSchema);
  return optionSchema.parse(properties[option]).items.enum;
}
