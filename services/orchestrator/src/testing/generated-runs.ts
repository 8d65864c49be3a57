// Generates runs. A script fixes each answer of the model and the work of the processors. The model and the processors
// decide by the content of a call alone, so that each owner of the run gets the same.
import {
  buildTextMessage,
  readMessageText,
  RELEASES,
  selectMessages,
  type Agent,
  type Message,
  type MessageOp,
  type Plan,
  type Stage,
  type StageCall,
  type Verdict,
} from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { defineProcessor } from '@millrace/testkit';
import * as fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { lookCalls, lookTool } from './look-tool.ts';
import { makePlan, planEntry } from './plan-entries.ts';
import { answerModel, type Say, type ScriptedModel } from './scripted-model.ts';
import { goOn, scriptReplica } from './scripted-replica.ts';

/**
 * The first word of an answer decides: `rude` is asked for again, `old` becomes `new` in processOutputStep, `bad` aborts
 * the run, `enough` halts it, `broken` breaks off once, `ada` is masked in the stream.
 */
const KINDS = ['plain', 'plain', 'plain', 'ada', 'rude', 'old', 'broken', 'bad', 'enough'] as const;
const LATE = ['nothing', 'rewrite', 'rewrite-first', 'remove', 'add', 'move', 'retry', 'abort', 'halt'] as const;
/** processToolResult: `ask` suspends the run once. */
const RESULTS = ['pass', 'pass', 'retry', 'abort', 'ask'] as const;
const STREAM = ['mask', 'mask', 'pieces', 'adds', 'total', 'frameless'] as const;
const OVERLAP = ['none', 'none', 'early', 'late', 'stop'] as const;

export type RunScript = {
  release: NonNullable<Agent['release']>;
  /** All but the last answer have a tool call. */
  answers: (typeof KINDS)[number][];
  results: (typeof RESULTS)[number];
  late: (typeof LATE)[number];
  stream: (typeof STREAM)[number];
  /** A group that judges the input concurrently with the first model call: its verdict is early, late, or an abort. */
  overlap: (typeof OVERLAP)[number];
};

export const runScripts: fc.Arbitrary<RunScript> = fc.record({
  release: fc.constantFrom(...RELEASES),
  answers: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
  results: fc.constantFrom(...RESULTS),
  late: fc.constantFrom(...LATE),
  stream: fc.constantFrom(...STREAM),
  overlap: fc.constantFrom(...OVERLAP),
});

/** The processor of the output stream. */
export const streamProcessor = defineProcessor({
  id: 'stream',
  description: 'masks, adds and drops chunks',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.enum(STREAM) }),
  create: ({ does }) => ({
    id: 'stream',
    processOutputStream: async ({ part }) => {
      if (does === 'frameless' && part.type === 'step-start') return null;
      if (does === 'adds' && part.type === 'tool-result')
        return [{ ...part, type: 'text-delta', payload: { id: 'more', text: 'added. ' } }, part];
      if (does === 'total' && part.type === 'finish')
        return { ...part, payload: { ...part.payload, output: { ...part.payload.output, text: 'in short. ' } } };
      const masks = does !== 'pieces' || part.type === 'text-delta';
      return masks ? JSON.parse(JSON.stringify(part).replaceAll('ada', '***')) : part;
    },
  }),
});

/** Serves the stages that judge the input and the answers, until the test ends. */
export function serveJudges(bus: Bus): void {
  const judges: [Stage, string, (call: StageCall) => Promise<Verdict> | Verdict][] = [
    ['processOutputStep', 'words', ({ input: { text = '' } }) => judgeText(text)],
    ['processToolResult', 'results', judgeResults],
    ['processAPIError', 'again', () => ({ type: 'retry' })],
    ['processOutputResult', 'late', judgeLate],
    ['processInput', 'ear', listen],
  ];
  for (const [stage, name, judge] of judges) scriptReplica(bus, stage, [name], async (call) => [await judge(call)]);
}

function judgeText(text: string): Verdict {
  if (text.startsWith('rude')) return { type: 'abort', reason: 'be polite', retry: true };
  if (text.startsWith('bad')) return { type: 'abort', reason: 'no' };
  if (text.startsWith('enough')) return { type: 'halt', response: 'halted. ' };
  return text.startsWith('old') ? { type: 'continue', changes: { text: text.replace('old', 'new') } } : goOn;
}

function judgeResults({ input: { conversation }, entries: [entry] }: StageCall): Verdict {
  const last = conversation && selectMessages(conversation, 'response').at(-1);
  switch (entry?.options['do']) {
    case 'retry':
      return last && readMessageText(last).startsWith('polite')
        ? goOn
        : { type: 'abort', reason: 'be polite', retry: true };
    case 'abort':
      return { type: 'abort', reason: 'no' };
    case 'ask':
      return entry?.resumeData === undefined ? { type: 'suspend', payload: { question: 'sure?' } } : goOn;
    default:
      return goOn;
  }
}

function judgeLate({ input: { conversation }, entries: [entry] }: StageCall): Verdict {
  const answers = conversation ? selectMessages(conversation, 'response') : [];
  const [first, last] = [answers[0], answers.at(-1)];
  const change = (...ops: MessageOp[]): Verdict => ({ type: 'continue', changes: { ops } });
  const rewrite = (message: Message | undefined): Verdict =>
    message ? change({ op: 'replace', message: buildTextMessage(message.id, 'assistant', 'late ada. ') }) : goOn;
  switch (entry?.options['does']) {
    case 'rewrite':
      return rewrite(last);
    case 'rewrite-first':
      return rewrite(first);
    case 'remove':
      return first ? change({ op: 'remove', ids: [first.id] }) : goOn;
    case 'add':
      return change({ op: 'add', source: 'response', message: buildTextMessage('added', 'assistant', 'more ada. ') });
    case 'move':
      return first
        ? change({ op: 'remove', ids: [first.id] }, { op: 'add', source: 'response', message: first })
        : goOn;
    case 'retry':
      return last && readMessageText(last).startsWith('polite')
        ? goOn
        : { type: 'abort', reason: 'be polite', retry: true };
    case 'abort':
      return { type: 'abort', reason: 'no' };
    case 'halt':
      return { type: 'halt', response: 'halted. ' };
    default:
      return goOn;
  }
}

async function listen({ entries: [entry] }: StageCall): Promise<Verdict> {
  if (entry?.options['is'] !== 'early') await delay(10);
  return entry?.options['is'] === 'stop' ? { type: 'abort', reason: 'no' } : goOn;
}

export function makeScriptedPlan({ results, late, stream, overlap }: RunScript): Plan {
  const entries = [
    planEntry('stream', {
      service: 'masks',
      lists: ['output'],
      stages: ['processOutputStream'],
      options: { does: stream },
    }),
    planEntry('words', { lists: ['output'], stages: ['processOutputStep'], reads: ['response'] }),
    planEntry('results', {
      lists: ['output'],
      stages: ['processToolResult'],
      reads: ['response'],
      options: { do: results },
    }),
    planEntry('again', { lists: ['error'], stages: ['processAPIError'] }),
    planEntry('late', {
      lists: ['output'],
      stages: ['processOutputResult'],
      reads: ['response'],
      options: { does: late },
    }),
  ];
  const plan = makePlan(entries, [lookTool({ timeoutMs: 5_000 })]);
  if (overlap === 'none') return plan;
  const ear = planEntry('ear', { options: { is: overlap } });
  const { entries: all, order } = makePlan([ear, ...entries]);
  return { ...plan, entries: all, order, groups: [{ list: 'input', members: ['ear'], overlap: 'model' }] };
}

/** The model of one owner. */
export function scriptAnswers({ answers }: RunScript): ScriptedModel {
  const broken = new Set<number>();
  return answerModel(({ prompt }): Say => {
    const at = prompt.filter(({ role }) => role === 'assistant').length;
    const kind = answers[Math.min(at, answers.length - 1)] ?? 'plain';
    const isRepeated = JSON.stringify(prompt).includes('be polite');
    const text = `${isRepeated ? 'polite' : kind} ${at}. `;
    const isBroken = kind === 'broken' && !broken.has(at);
    if (isBroken) broken.add(at);
    const calls = at < answers.length - 1 ? { calls: lookCalls() } : {};
    return { text, ...calls, ...(isBroken && { breaksOff: new Error('broken') }) };
  });
}
