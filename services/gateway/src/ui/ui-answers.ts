// Reads the answers that a page has added to the messages of a chat: decisions about calls, and results of the page's
// tools. Any message may hold them, and each belongs to the run that asked. Pure.
import { nameText, tokenSchema } from '@millrace/contracts';
import { parseCallId, type CallResult } from '../agents/client-calls.ts';
import type { UiMessage, UiPart, UiRequest } from './ui-request.ts';

export type ApprovalDecision = { id: string; approved: boolean; reason?: string | undefined };

/** The answers to one run. */
export type UiAnswers = {
  runId: string;
  decisions: readonly ApprovalDecision[];
  results: readonly CallResult[];
  /** The client continues the message with these answers. */
  isContinued: boolean;
  /** The last answer of the chat has calls of the run: a new message leaves them. */
  isNewest: boolean;
};

/** Returns the answers of all messages by run, in the order of the messages. */
export function readUiAnswers({ messages, messageId }: Pick<UiRequest, 'messages' | 'messageId'>): UiAnswers[] {
  const continuedAt = findContinued(messages, messageId);
  const newestAt = messages.findLastIndex(({ role }) => role === 'assistant');
  const byRun = new Map<string, GatheredAnswers>();
  for (const [at, message] of messages.entries())
    for (const { runId, decisions, results } of readMessageAnswers(message)) {
      const gathered = byRun.get(runId) ?? createGathered(runId);
      byRun.set(runId, gathered);
      gathered.decisions.push(...decisions);
      gathered.results.push(...results);
      gathered.isContinued ||= at === continuedAt;
      gathered.isNewest ||= at === newestAt;
    }
  return [...byRun.values()];
}

type GatheredAnswers = UiAnswers & { decisions: ApprovalDecision[]; results: CallResult[] };
const createGathered = (runId: string): GatheredAnswers => ({
  runId,
  decisions: [],
  results: [],
  isContinued: false,
  isNewest: false,
});

/** Returns the index of the answer that the response continues: the named one, else the last message; -1 if it is the user's. */
function findContinued(messages: readonly UiMessage[], messageId: UiRequest['messageId']): number {
  const named = messages.findLastIndex(({ id, role }) => id === messageId && role === 'assistant');
  if (named >= 0) return named;
  return messages.at(-1)?.role === 'assistant' ? messages.length - 1 : -1;
}

type MessageAnswers = Pick<UiAnswers, 'runId' | 'decisions' | 'results'>;

function readMessageAnswers({ role, metadata, parts }: UiMessage): MessageAnswers[] {
  if (role !== 'assistant') return [];
  const decisions = parts.flatMap(readDecision);
  const runId = tokenSchema.safeParse(metadata?.runId);
  return [
    ...(decisions.length > 0 && runId.success ? [{ runId: runId.data, decisions, results: [] }] : []),
    ...readResults(parts),
  ];
}

const readDecision = ({ state, approval }: UiPart): ApprovalDecision[] =>
  state === 'approval-responded' && approval?.approved !== undefined
    ? [{ id: approval.id, approved: approval.approved, reason: approval.reason }]
    : [];

/** A run waits for calls of its last step alone. */
function readResults(parts: readonly UiPart[]): MessageAnswers[] {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  return step.flatMap(({ toolCallId: id = '', state, output, outputText, errorText = 'The tool failed.' }) => {
    const call = parseCallId(id);
    if (!call) return [];
    const data =
      state === 'output-available'
        ? { output: output ?? null, ...nameText('output', outputText) }
        : { error: errorText };
    const isGiven = state === 'output-available' || state === 'output-error';
    return [{ runId: call.runId, decisions: [], results: isGiven ? [{ id, data }] : [] }];
  });
}
