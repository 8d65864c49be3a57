// The guards in an agent's configuration: the normalizer before prompt-injection for a user's text, prompt-injection
// alone for a tool's. pii judges the plain text, because labels have places in it.
import { textMessage, type JsonObject, type JsonValue, type StageInput, type Verdict } from '@millrace/contracts';
import {
  createProcessorChain,
  describeProcessor,
  loadProcessors,
  type ProcessorDefinition,
} from '@millrace/testkit/in-process';
import { z } from 'zod';

export type SampleJudgement = {
  isCaught: boolean;
  /** Rules of the violations. */
  rules: string[];
};
export type FoundSpan = { type: string; start: number; end: number };
/** `unlisted`: number of hits per type that were counted but not listed; a report lists the first hits of a rule. */
export type FoundSpans = { spans: FoundSpan[]; unlisted: ReadonlyMap<string, number> };

export type Guards = {
  /** @param texts the user's messages, in order */
  judgeUser(texts: readonly string[]): Promise<SampleJudgement>;
  judgeTool(result: JsonValue): Promise<SampleJudgement>;
  findPersonalData(text: string): Promise<FoundSpans>;
  /** All types that the pii processor detects. */
  piiTypes: readonly string[];
};

const INJECTION = 'prompt-injection';
const JUDGE = 'openai-chat/judge';

/** The model of prompt-injection, and the agent's policy if it fails. */
export type GuardModel = { baseUrl: string; onFailure: 'fail' | 'skip' };
/** Rule of a text that stopped the run because the model failed. */
export const NOT_JUDGED = 'not-judged';
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
  const piiTypes = listTypes(definitions);
  const injection = { processor: INJECTION, options: { ...(model && { model: JUDGE }), ...options } };
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

const buildUserInput = (texts: readonly string[]): Partial<StageInput> => ({
  conversation: {
    entries: texts.map((text, at) => ({ source: 'input', message: textMessage(`m${at}`, 'user', text) })),
    system: [],
  },
});

const typesSchema = z.object({
  properties: z.object({ types: z.object({ items: z.object({ enum: z.array(z.string()) }) }) }),
});
function listTypes(definitions: readonly ProcessorDefinition[]): string[] {
  const pii = definitions.find(({ id }) => id === 'pii');
  return pii ? typesSchema.parse(describeProcessor(pii).optionsSchema).properties.types.items.enum : [];
}

/**
 * @param guardAt index of the guard with changes that count: changes of the normalizer are no finding. @throws if a guard
 * failed
 */
function toJudgement(verdicts: readonly Verdict[], guardAt: number, model: GuardModel | undefined): SampleJudgement {
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

/** @throws if the guard failed or rejected the text */
function readSpans(verdicts: readonly Verdict[]): FoundSpans {
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
