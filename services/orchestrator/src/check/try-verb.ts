// Implements the verb `processors-try`: a text passes one processor at one stage. Nothing is stored, and no event is
// written: the answer holds the events of the call.
import {
  LIST_OF_STAGE,
  MillraceError,
  readMessageText,
  buildTextMessage,
  type EntryOutcome,
  type Message,
  type TriedStage,
  type TryAnswer,
  type TryRequest,
  type RunParty,
} from '@millrace/contracts';
import { readKnown, type KnownPeers } from '../agents/entry-uses.ts';
import { refuseBadRequest } from '../api/request-issues.ts';
import type { SubmitGuard } from '../api/submit-limits.ts';
import type { Discovery } from '../peers/discovery.ts';
import type { Deps } from '../state/run-context.ts';
import type { EventLog } from '../state/event-log.ts';
import { type CheckPlaces, startDeadline } from './check-limits.ts';
import { foldChecks } from './fold-checks.ts';
import { judgeText } from './judge-text.ts';
import { TRY_AGENT, resolveTry } from './try-agent.ts';

export type TryParts = {
  deps: Deps;
  discovery: KnownPeers & Pick<Discovery, 'refresh'>;
  /** Its rate and its sizes are those of submissions. */
  submits: SubmitGuard;
  places: CheckPlaces;
};

/** Maximum number of verdicts in one answer: a stream has one for each entry and batch. */
const MAX_OUTCOMES = 100;

export function createTryVerb({ deps, discovery, submits, places }: TryParts) {
  return async (asked: TryRequest, { tenant, caller }: RunParty): Promise<TryAnswer> => {
    refuseBadTry(asked);
    await discovery.refresh();
    const { applied, stage } = resolveTry(asked, readKnown(discovery));
    const isInput = LIST_OF_STAGE[stage] === 'input';
    if (asked.messages && !isInput)
      throw refuse('messages', `${stage} judges a text.`, 'Send the text of the message as text.');
    const messages = asked.messages ?? [buildTextMessage('text-0', isInput ? 'user' : 'assistant', asked.text ?? '')];
    const request = makeRequest(asked, { tenant, caller }, messages);
    submits.check(request, { tenant, caller });
    await deps.budgets?.refuseSpent(request);
    refuseBadRequest(isInput ? request : { ...request, messages: [] }, applied);
    const free = places.take({ tenant, caller });
    const deadline = startDeadline(asked.timeoutMs);
    const outcomes: EntryOutcome[] = [];
    try {
      const judged = await judgeText(deps, {
        applied,
        stages: [stage],
        record: collectOutcomes(stage, outcomes),
        request: isInput ? request : { ...request, messages: [] },
        direction: isInput ? 'input' : 'output',
        answer: { text: isInput ? '' : messages.map(readMessageText).join(''), isCutOff: false },
        deadlineAt: deadline.at,
        signal: deadline.signal,
      });
      return { stage, ...foldChecks(messages.map(readMessageText), [judged]), outcomes };
    } finally {
      deadline.end();
      free();
    }
  };
}

const collectOutcomes =
  (stage: TriedStage, outcomes: EntryOutcome[]): EventLog['record'] =>
  (event) => {
    if (event.event !== 'stage' || event.stage !== stage) return;
    outcomes.push(...event.entries.slice(0, MAX_OUTCOMES - outcomes.length));
  };

function makeRequest({ requestContext, timeoutMs, budget }: TryRequest, party: RunParty, messages: Message[]) {
  return {
    runId: `try-${crypto.randomUUID()}`,
    ...party,
    agent: TRY_AGENT,
    messages,
    requestContext,
    deadlineMs: timeoutMs,
    budget,
  };
}

/** @throws run-refused */
function refuseBadTry({ text, messages }: TryRequest): void {
  if ((text === undefined) === (messages === undefined))
    throw refuse('text', 'The request has either a text or messages.', 'Send one of the two members.');
}

const refuse = (path: string, message: string, remedy: string): MillraceError =>
  new MillraceError('run-refused', message, { path, remedy });
