// Implements the verb `check`: texts or messages pass the processors of an agent without model, memory or state.
// Nothing is stored, and no event is written.
import {
  MillraceError,
  readMessageText,
  buildTextMessage,
  type AppliedAgent,
  type CheckAnswer,
  type CheckRequest,
  type Message,
  type StoredRequest,
  type RunParty,
} from '@millrace/contracts';
import type { AgentStore } from '../agents/agent-store.ts';
import { createUnknownAgentError } from '../api/agents-api.ts';
import { refuseBadRequest } from '../api/request-issues.ts';
import type { SubmitGuard } from '../api/submit-limits.ts';
import { listUnjudged } from '../settings/allowed-files.ts';
import { resolveRunAgent } from '../settings/run-agent.ts';
import type { Deps } from '../state/run-context.ts';
import { type CheckPlaces, startDeadline, type Deadline } from './check-limits.ts';
import type { CheckedRun } from './check-run.ts';
import { countUndecided, foldChecks } from './fold-checks.ts';
import { judgeText, type CheckJudgement } from './judge-text.ts';

/** Texts of one check that are judged concurrently. */
const CONCURRENT_TEXTS = 4;

export type CheckParts = {
  deps: Deps;
  agents: Pick<AgentStore, 'find' | 'list'>;
  /** Its rate and its sizes are those of submissions. */
  submits: SubmitGuard;
  places: CheckPlaces;
};

export function createCheckVerb({ deps, agents, submits, places }: CheckParts) {
  return async (check: CheckRequest, { tenant, caller }: RunParty): Promise<CheckAnswer> => {
    refuseBadCheck(check);
    const groups = groupMessages(check);
    submits.check(makeRequest(check, { tenant, caller }, groups.flat()), { tenant, caller });
    await deps.budgets?.refuseSpent({ tenant, caller, agent: check.agent, budget: check.budget });
    const found = await agents.find(tenant, check.agent);
    if (!found) {
      const names = agents.list(tenant).map(({ agent }) => agent.name);
      throw createUnknownAgentError(check.agent, names);
    }
    const requests = groups.map((messages) => makeRequest(check, { tenant, caller }, messages));
    for (const request of requests) refuseBadRequest(listCallerMessages(check, request), found.value);
    const free = places.take({ tenant, caller });
    const deadline = startDeadline(check.timeoutMs);
    try {
      const { answer, passedFiles } = await judgeAll(deps, { check, requests, applied: found.value, deadline });
      const unjudged = answer.action === 'block' ? [] : listUnjudged(check.messages ?? [], passedFiles);
      if (unjudged.length === 0) return answer;
      // A run of an agent that judges files fails if a file remains unjudged: a processor has removed it.
      const isRemoved = found.value.plan.files === 'judged' && answer.action === 'pass';
      return { ...answer, ...(isRemoved && { action: 'changed' as const }), unjudged };
    } finally {
      deadline.end();
      free();
    }
  };
}

/** Texts are judged one by one, messages together. */
function groupMessages({ texts = [], messages, direction }: CheckRequest): Message[][] {
  if (messages) return [messages];
  const role = direction === 'input' ? 'user' : 'assistant';
  return texts.map((text, at) => [buildTextMessage(`text-${at}`, role, text)]);
}

function makeRequest(
  { agent, requestContext, timeoutMs, budget }: CheckRequest,
  party: RunParty,
  messages: Message[],
): StoredRequest {
  const runId = `check-${crypto.randomUUID()}`;
  return { ...party, runId, agent, messages, requestContext, deadlineMs: timeoutMs, budget };
}

/** Texts of an answer are no messages of the caller: `callerRoles` does not apply to them. */
const listCallerMessages = ({ direction }: CheckRequest, request: StoredRequest): StoredRequest =>
  direction === 'input' ? request : { ...request, messages: [] };

type WholeCheck = { check: CheckRequest; requests: StoredRequest[]; applied: AppliedAgent; deadline: Deadline };

async function judgeAll(deps: Deps, whole: WholeCheck) {
  const { check, requests } = whole;
  const given = requests.flatMap(({ messages }) => messages.map(readMessageText));
  const judged: CheckJudgement[] = [];
  const undecided: number[] = [];
  for (let at = 0; at < requests.length; at += CONCURRENT_TEXTS) {
    const part = requests.slice(at, at + CONCURRENT_TEXTS);
    const answers = await Promise.all(part.map((request) => judgeOne(deps, whole, request)));
    for (const answer of answers) {
      judged.push(...answer.judged);
      undecided.push(answer.undecided);
    }
    if (judged.some(({ block }) => block)) break;
  }
  return {
    answer: foldChecks(given, judged, check.complete ? undefined : undecided),
    passedFiles: new Set(judged.flatMap((one) => one.passedFiles)),
  };
}

/** A beginning is judged twice: as an answer that breaks off there, and as one that ends there. */
async function judgeOne(deps: Deps, { check, applied, deadline }: WholeCheck, request: StoredRequest) {
  const { complete, direction } = check;
  const own = resolveRunAgent(applied, request);
  if ('issues' in own) throw new MillraceError('run-refused', 'The agent does not accept the check.', own);
  const isOutput = direction === 'output';
  const text = isOutput ? request.messages.map(readMessageText).join('') : '';
  const checked = {
    applied: own.applied,
    request: isOutput ? { ...request, messages: [] } : request,
    direction,
    deadlineAt: deadline.at,
    signal: deadline.signal,
  } satisfies Omit<CheckedRun, 'answer'>;
  const judge = (isCutOff: boolean) => judgeText(deps, { ...checked, answer: { text, isCutOff } });
  if (complete) return { judged: [await judge(false)], undecided: 0 };
  const [whole, decided] = await Promise.all([judge(false), judge(true)]);
  const undecided = countUndecided(decided.texts.join(''), whole.texts.join(''));
  return { judged: [whole, omitTexts(decided)], undecided };
}

/** The beginning of an answer is part of the whole: its violations are counted there. */
const omitTexts = ({ block, usage }: CheckJudgement): CheckJudgement => ({
  texts: [],
  ...(block && { block }),
  violations: [],
  usage,
  passedFiles: [],
});

/** @throws run-refused */
function refuseBadCheck({ texts, messages, direction, complete }: CheckRequest): void {
  if ((texts === undefined) === (messages === undefined))
    throw refuse('texts', 'A check has either texts or messages.', 'Send one of the two members.');
  if (messages && direction === 'output')
    throw refuse('messages', 'The direction "output" judges texts.', 'Send the texts of the messages as texts.');
  if (!complete && direction === 'input')
    throw refuse('complete', 'An input is always complete.', 'Leave complete out, or set the direction "output".');
}

const refuse = (path: string, message: string, remedy: string): MillraceError =>
  new MillraceError('run-refused', message, { path, remedy });
