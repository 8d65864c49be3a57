// The guards as an agent has them: the normalizer before prompt-injection for what a user sends, prompt-injection alone for what a
// tool gives back. Personal data is looked for in the text as it stands, where its spans are.
import { textMessage, type JsonObject, type StageInput, type Verdict } from '@millrace/contracts';
import {
  createProcessorChain,
  describeProcessor,
  loadProcessors,
  type ProcessorDefinition,
} from '@millrace/testkit/in-process';
import { z } from 'zod';

export type Judgement = {
  isCaught: boolean;
  /** What caught it, or is said of it. */
  rules: string[];
};
export type FoundSpan = { type: string; start: number; end: number };
/** `unlisted`: how many hits of a type were counted but not placed; a report lists the first ones of a rule. */
export type FoundSpans = { spans: FoundSpan[]; unlisted: ReadonlyMap<string, number> };

export type Guards = {
  /** @param texts the user's messages, in order */
  judgeUser(texts: readonly string[]): Promise<Judgement>;
  judgeTool(text: string): Promise<Judgement>;
  findPersonalData(text: string): Promise<FoundSpans>;
  /** All that the pii processor can look for. */
  piiTypes: readonly string[];
};

const INJECTION = 'prompt-injection';
const JUDGE = 'openai-chat/judge';

/** The model that prompt-injection asks, and what becomes of a text that it does not answer about: the agent's policy. */
export type GuardModel = { baseUrl: string; onFailure: 'fail' | 'skip' };
/** The rule of a text that stopped the run because the model could not be asked. */
export const NOT_JUDGED = 'not-judged';
/** The rule of what the model alone has found. */
export const MODEL_RULE = 'model';
const notes = {
  name: 'notes',
  description: '',
  inputSchema: {},
  subject: 'tool.notes',
  idempotent: true,
  timeoutMs: 1,
};

/** @param options of prompt-injection @param model absent: the rules alone judge */
export async function createGuards(options: JsonObject = {}, model?: GuardModel): Promise<Guards> {
  const definitions = await loadProcessors('guardrails', model?.baseUrl);
  const piiTypes = typesOf(definitions);
  const injection = { processor: INJECTION, options: { ...(model && { model: JUDGE }), ...options } };
  const user = createProcessorChain(definitions, [{ processor: 'unicode-normalizer' }, injection]);
  const tool = createProcessorChain(definitions, [injection]);
  const pii = createProcessorChain(definitions, [{ processor: 'pii', options: { types: piiTypes } }]);
  return {
    piiTypes,
    judgeUser: async (texts) => judgementOf(await user.call('processInput', userInput(texts)), 1, model),
    judgeTool: async (text) => {
      const toolCall = { toolCallId: 'c1', toolName: notes.name, args: {} };
      const input = { ...userInput([]), toolCall, tool: notes, result: text, isError: false };
      return judgementOf(await tool.call('processToolResult', input), 0, model);
    },
    findPersonalData: async (text) => foundSpans(await pii.call('processInput', userInput([text]))),
  };
}

const userInput = (texts: readonly string[]): Partial<StageInput> => ({
  conversation: {
    entries: texts.map((text, at) => ({ source: 'input', message: textMessage(`m${at}`, 'user', text) })),
    system: [],
  },
});

const typesSchema = z.object({
  properties: z.object({ types: z.object({ items: z.object({ enum: z.array(z.string()) }) }) }),
});
function typesOf(definitions: readonly ProcessorDefinition[]): string[] {
  const pii = definitions.find(({ id }) => id === 'pii');
  return pii ? typesSchema.parse(describeProcessor(pii).optionsSchema).properties.types.items.enum : [];
}

/** @param guardAt whose changes count: those of the normalizer are no finding. @throws where a guard broke */
function judgementOf(verdicts: readonly Verdict[], guardAt: number, model: GuardModel | undefined): Judgement {
  for (const verdict of verdicts) {
    if (verdict.type !== 'failure') continue;
    if (!model || verdict.code !== 'model-call-failed')
      throw new Error(`A guard failed: ${verdict.message} (${verdict.code})`);
    return model.onFailure === 'skip' ? { isCaught: false, rules: [] } : { isCaught: true, rules: [NOT_JUDGED] };
  }
  const stopped = verdicts.some(({ type }) => type !== 'continue');
  const last = verdicts[guardAt];
  const changed = last !== undefined && 'changes' in last && Object.keys(last.changes ?? {}).length > 0;
  const rules = verdicts.flatMap((verdict) => ('violations' in verdict ? (verdict.violations ?? []) : []));
  return { isCaught: stopped || changed, rules: [...new Set(rules.map(({ rule = 'no rule' }) => rule))] };
}

const detailSchema = z.object({ hits: z.array(z.object({ start: z.number(), end: z.number() })) });

/** @throws where the guard broke or refused to judge */
function foundSpans(verdicts: readonly Verdict[]): FoundSpans {
  const [verdict] = verdicts;
  if (verdict?.type !== 'continue') throw new Error(`pii did not judge the text: ${JSON.stringify(verdict)}`);
  const violations = verdict.violations ?? [];
  const spans = violations.flatMap(({ rule: type = '', detail }) =>
    (detailSchema.safeParse(detail).data?.hits ?? []).map(({ start, end }) => ({ type, start, end })),
  );
  const unlisted = new Map(
    violations.map(({ rule = '', count = 1, detail }) => [
      rule,
      count - (detailSchema.safeParse(detail).data?.hits.length ?? 0),
    ]),
  );
  return { spans, unlisted };
}
