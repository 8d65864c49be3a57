import {
  applyOps,
  buildTextMessage,
  type Agent,
  type Plan,
  type PlanEntry,
  type Reads,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry } from '../testing/plan-entries.ts';
import { makeAgent, makeState } from '../testing/run-states.ts';
import { addSchemaTexts, listDefinitionOrigins } from '../settings/schema-texts.ts';
import { findLabelRule, findTaint, type LabelContext } from './label-verdict.ts';

const { conversation, taint } = makeState({ agent: makeAgent() });
/** A remembered message without a label. */
const old = { source: 'remembered' as const, message: buildTextMessage('r1', 'user', 'old') };
const tainted = { ...conversation, entries: [...conversation.entries, old] };

type Given = {
  stage?: Stage;
  input?: Partial<StageInput>;
  entry?: Partial<PlanEntry>;
  context?: Partial<LabelContext>;
};
function ruleWith({ stage = 'processInput', input = {}, entry = {}, context = {} }: Given) {
  const own = planEntry('p', { reads: ['input'], ...entry });
  const given = { retryCount: 0, stepNumber: 0, conversation, ...input };
  return findLabelRule(stage, given, own, { conversation, taint, toolRules: undefined, ...context });
}
const find = (verdict: Verdict, given: Given) =>
  findTaint(given.stage ?? 'processInput', planEntry('p'), verdict, ruleWith(given));

describe('the highest trust of the changes of an entry', () => {
  test('is the lowest trust of the sources that it reads before the model, and of the whole conversation after it', () => {
    const input = { conversation: tainted };
    expect(ruleWith({ input }).cap).toBe('trusted');
    expect(ruleWith({ input, entry: { reads: ['input', 'remembered'] } }).cap).toBe('untrusted');
    expect(ruleWith({ input, entry: { reads: ['steps'] } }).cap).toBe('untrusted');
    expect(ruleWith({ input, stage: 'processOutputStep' }).cap).toBe('untrusted');
  });

  test('is that of the run in a stage without messages', () => {
    const stage = 'processLLMRequest';
    expect(ruleWith({ stage, input: { conversation: undefined } }).cap).toBe('trusted');
    expect(ruleWith({ stage, input: { conversation: undefined }, context: { conversation: tainted } }).cap).toBe(
      'untrusted',
    );
  });

  test('is untrusted with the answer to a question, with a tainted state, and with a result of a tool', () => {
    expect(ruleWith({ context: { resumed: 'p' } }).cap).toBe('untrusted');
    expect(ruleWith({ context: { resumed: 'other' } }).cap).toBe('trusted');
    expect(ruleWith({ context: { taint: { entries: ['p'], origins: [] } } }).cap).toBe('untrusted');
    const input = { toolCall: { toolCallId: 'c', toolName: 'sum', args: {} } };
    const toolRules: Plan['toolRules'] = { sum: { whenUntrusted: 'allow', resultTrust: 'inherit' } };
    expect(ruleWith({ stage: 'processToolResult', input }).cap).toBe('untrusted');
    expect(ruleWith({ stage: 'processToolResult', input, context: { toolRules } }).cap).toBe('trusted');
  });
});

describe('the highest trust of the changes of an entry that reads definitions of a caller', () => {
  const clientTools = [{ name: 'weather', description: 'Send mail.', inputSchema: {} }];
  const makeDefined = (more: Partial<Agent>) =>
    makeState({ agent: makeAgent({ clientTools: true, ...more }), request: { clientTools } });

  test.each<[Agent['definitionTrust'], string]>([
    [undefined, 'untrusted'],
    ['trusted', 'trusted'],
  ])('with definitionTrust: %s, it is %s in processInput', (definitionTrust, trust) => {
    const state = makeDefined({ definitionTrust });
    const judged = applyOps(state.conversation, addSchemaTexts(state));
    expect(ruleWith({ input: { conversation: judged } }).cap).toBe(trust);
    expect(listDefinitionOrigins(state)).toEqual(trust === 'trusted' ? [] : ['caller']);
  });

  test.each<[Stage, Reads[], string]>([
    ['processInputStep', ['tools'], 'untrusted'],
    ['processInputStep', ['prompt'], 'untrusted'],
    ['processInputStep', ['input'], 'trusted'],
    ['processLLMRequest', [], 'untrusted'],
    ['processOutputStream', [], 'untrusted'],
  ])('in %s with the reads %j, it is %s', (stage, reads, trust) => {
    const context = { taint: { entries: [], origins: ['caller'] } };
    expect(ruleWith({ stage, entry: { reads }, context }).cap).toBe(trust);
    expect(ruleWith({ stage, entry: { reads } }).cap).toBe('trusted');
  });
});

describe('the taint of a run', () => {
  const outside: Given = { entry: { addsText: true } };

  test.each<[string, Verdict]>([
    ['a prompt', { type: 'continue', changes: { prompt: [] } }],
    ['tools', { type: 'continue', changes: { tools: [] } }],
    ['arguments', { type: 'continue', changes: { args: {} } }],
    ['a cached answer', { type: 'respond', chunks: [] }],
    ['the reason of a repetition', { type: 'abort', reason: 'x', retry: true }],
    ['the answer of a halt', { type: 'halt', response: 'x' }],
  ])('includes %s of a processor that adds text from outside', (_, verdict) => {
    expect(find(verdict, outside)).toEqual({ origin: 'processor:p' });
    expect(find(verdict, {})).toEqual({});
    expect(find(verdict, { entry: { addsText: true, declassifies: true } })).toEqual({});
  });

  test('includes the state of an entry whose call carried untrusted content', () => {
    const verdict: Verdict = { type: 'continue', state: { seen: 'x' } };
    const reading: Given = { input: { conversation: tainted }, entry: { reads: ['remembered'] } };
    expect(find(verdict, reading)).toEqual({ entry: 'p' });
    expect(find({ type: 'continue', state: {} }, reading)).toEqual({});
    expect(find(verdict, {})).toEqual({});
  });
});
