// http-guard: asks an external guard over HTTP about messages, answers, tool calls and tool results.
import type { JsonValue, Message } from '@millrace/contracts';
import {
  defineProcessor,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessorDefinition,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import type { EndpointReply, EndpointRequest } from '../../endpoints/endpoint-wire.ts';
import type { GuardEndpoints } from '../../endpoints/guard-endpoints.ts';
import { mapMessage } from '../../guard/message-values.ts';
import { DENIED, LEFT_OUT, judgePlaces } from '../../guard/places.ts';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import { listMessageTexts, listValueTexts, replaceValueTexts } from '../../guard/value-texts.ts';
import { judgeAnswerResult, judgeAnswerStream, type AnswerGuard } from '../../model/judge-answer.ts';
import { BOUNDS, type Bound } from '../../work/bounds.ts';
import { mapLimited } from '../../work/map-limited.ts';
import { httpGuardOptions, type HttpGuardOptions } from './http-guard-options.ts';

const BLOCKED = 'An external guard blocked the text.';
const REPLACED = 'An external guard replaced the text.';
const MAX_AT_ONCE = 4;

/**
 * Sends the texts to an endpoint that the operator defines in the file of `HTTP_GUARDS`
 * ([docs/http-guards.md](../http-guards.md)), in a shape of our own or in that of LiteLLM's generic guardrail API. The
 * endpoint allows the texts, blocks them, or replaces them by as many others. An agent names the endpoint; it cannot
 * set a URL, a header or a parameter.
 *
 * Put the processor under `input` for messages and tool calls, under `output` for answers and tool results. A part of an
 * answer is buffered until the endpoint has judged it: with the default `window: 0` the whole part.
 *
 * The texts of a stage call are one request; with the strategy filter each message and each window is a request of its
 * own, at most 64. The service follows no redirect, checks the address of each connection, bounds size and time, and
 * stops to call an endpoint that fails repeatedly (circuit breaker).
 *
 * @verdict continue: the endpoint allows the texts, or strategy warn; with replaced texts, or with filter the rest
 * @verdict abort: the endpoint blocks, strategy block; or a text that exceeds a bound
 * @verdict halt: the same, if `response` is set
 * @verdict deny: a tool call, with strategy filter
 * @verdict failure: the endpoint is not defined, not reachable, too slow, or returns an invalid answer
 * @cannot Send images and other files that are not text.
 * @cannot Judge chunks other than text and reasoning, such as the arguments of a tool call while they are streamed.
 * @cannot Let the endpoint judge a text that is cut over two parts or windows of an answer.
 * @cannot Replace texts of an answer consistently, if the endpoint changes its own replacement and `window` is not 0: the
 * end of the run is judged again.
 * @example
 * input:
 *   - use: http-guard
 *     options: { endpoint: acme, response: I cannot help with that. }
 * output:
 *   - use: http-guard
 *     options: { endpoint: acme, response: I cannot help with that. }
 */
export const defineHttpGuard = (endpoints: GuardEndpoints): ProcessorDefinition =>
  defineProcessor({
    id: 'http-guard',
    description: 'Asks an external guard over HTTP about input, answer, tool calls and tool results.',
    stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
    positions: { input: 147, output: 147 },
    judgesText: true,
    reads: ['input', 'response'],
    changes: {
      processInput: { option: 'strategy', values: ['block', 'filter'] },
      processToolCall: { option: 'strategy', values: ['block', 'filter'] },
      processToolResult: { option: 'strategy', values: ['block', 'filter'] },
      processOutputResult: { option: 'strategy', values: ['block', 'filter'] },
    },
    policy: { timeoutMs: 30_000 },
    options: httpGuardOptions,
    create(options) {
      const guard = { ...options, endpoints };
      const answers = createAnswerGuard(guard);
      return judgePlaces('http-guard', options.on, {
        processInput: (args) => judgeInput(guard, args),
        processOutputStream: (args) => judgeAnswerStream(answers, args),
        processToolCall: (args) => judgeToolCall(guard, args),
        processToolResult: (args) => judgeToolResult(guard, args),
        processOutputResult: (args) => judgeAnswerResult(answers, args),
      });
    },
  });

type HttpGuard = HttpGuardOptions & { endpoints: GuardEndpoints };
type Asking = Pick<EndpointRequest, 'stage' | 'direction' | 'tool'>;

/** Replaces a text that the endpoint has judged by its replacement. */
type ReplaceText = (text: string) => string;
/** Result for texts that belong together, such as those of a message. */
type GroupVerdict = { isBlocked: boolean; replace: ReplaceText };

/**
 * Judges groups of texts: all in one request, or with the strategy filter each group in a request of its own. Throws
 * (abort, halt) if the endpoint blocks with the strategy block.
 */
async function judgeGroups(
  guard: HttpGuard,
  args: CommonArgs,
  asking: Asking,
  groups: readonly (readonly string[])[],
): Promise<GroupVerdict[]> {
  const isSplit = guard.strategy === 'filter';
  const requests = (isSplit ? groups : [groups.flat()]).map(selectDistinct);
  if (requests.filter((texts) => texts.length > 0).length > BOUNDS.endpointCalls)
    refuseUnjudged(args, guard.response, 'endpointCalls');
  const replies = await mapLimited(requests, MAX_AT_ONCE, args.abortSignal, (texts, signal) =>
    askEndpoint(guard, args, { ...asking, texts }, signal),
  );
  report(guard, args, asking, replies);
  const verdicts = replies.map((reply, at) => toVerdict(guard, reply, requests[at] ?? []));
  return groups.map((_, at) => verdicts[isSplit ? at : 0] ?? PASSED);
}

const PASSED: GroupVerdict = { isBlocked: false, replace: (text) => text };

/** An endpoint is not asked about white space alone. */
const selectDistinct = (texts: readonly string[]): string[] => [...new Set(texts.filter((text) => text.trim() !== ''))];

async function askEndpoint(
  { endpoint, endpoints, response }: HttpGuard,
  args: CommonArgs,
  asking: Asking & { texts: string[] },
  signal: AbortSignal,
): Promise<EndpointReply> {
  const limit = endpoints.getMaxRequestBytes(endpoint);
  if (asking.texts.length === 0) return { action: 'allow' };
  // The limit applies to the texts: the other members of a request are small.
  if (Buffer.byteLength(JSON.stringify(asking.texts)) > limit) refuseUnjudged(args, response, 'endpointBytes', limit);
  return endpoints.ask(endpoint, { ...asking, run: args.run, entry: args.entry }, signal);
}

/** Reason and rule of the endpoint are for the operator's events only, because they may quote a text. */
function report(guard: HttpGuard, args: CommonArgs, { stage }: Asking, replies: readonly EndpointReply[]): void {
  const { endpoint, strategy, response } = guard;
  const blocked = replies.flatMap((reply) => (reply.action === 'block' ? [reply] : []));
  const count = replies.filter(({ action }) => action === 'replace').length;
  if (count > 0)
    args.onViolation({ message: REPLACED, rule: 'replaced', strategy, count, detail: { endpoint, stage } });
  if (blocked.length === 0) return;
  const [{ reason, rule } = {}] = blocked;
  const detail = { endpoint, stage, ...(reason !== undefined && { reason }), ...(rule !== undefined && { rule }) };
  args.onViolation({ message: BLOCKED, rule: 'blocked', strategy, count: blocked.length, detail });
  if (strategy === 'block') refuse(args, response, BLOCKED, { rules: ['blocked'] });
}

function toVerdict({ strategy }: HttpGuard, reply: EndpointReply, texts: readonly string[]): GroupVerdict {
  if (strategy === 'warn' || reply.action === 'allow') return PASSED;
  if (reply.action === 'block') return { isBlocked: true, replace: (text) => text };
  const replaced = new Map(texts.map((text, at) => [text, reply.texts[at] ?? '']));
  return { isBlocked: false, replace: (text) => replaced.get(text) ?? text };
}

const refuseBound =
  ({ response }: HttpGuard, args: CommonArgs) =>
  (bound: Bound): never =>
    refuseUnjudged(args, response, bound);

async function judgeInput(guard: HttpGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const messages = messageList.get.input.db();
  const asking: Asking = { stage: 'processInput', direction: 'request' };
  const verdicts = await judgeGroups(guard, args, asking, listMessageTexts(messages, refuseBound(guard, args)));
  const dropped: string[] = [];
  for (const [at, message] of messages.entries()) {
    const { isBlocked, replace } = verdicts[at] ?? PASSED;
    if (isBlocked) dropped.push(message.id);
    else replaceMessage(args, message, replace);
  }
  if (dropped.length > 0) messageList.removeByIds(dropped);
}

function replaceMessage({ messageList }: ProcessInputArgs, message: Message, replace: ReplaceText): void {
  const judged = mapMessage(message, (value) => replaceValueTexts(value, replace));
  if (judged !== message) messageList.replace(judged);
}

async function judgeToolCall(guard: HttpGuard, args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  const { toolName, args: given } = args.toolCall;
  const asking: Asking = { stage: 'processToolCall', direction: 'response', tool: toolName };
  const [{ isBlocked, replace } = PASSED] = await judgeGroups(guard, args, asking, [
    listValueTexts(given, refuseBound(guard, args)),
  ]);
  if (isBlocked) return { deny: true, reason: DENIED, code: 'blocked' };
  const judged = replaceValueTexts(given, replace);
  return judged === given ? undefined : { args: judged };
}

async function judgeToolResult(
  guard: HttpGuard,
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const asking: Asking = { stage: 'processToolResult', direction: 'request', tool: args.toolCall.toolName };
  const [{ isBlocked, replace } = PASSED] = await judgeGroups(guard, args, asking, [
    listValueTexts(args.result, refuseBound(guard, args)),
  ]);
  if (isBlocked) return { result: LEFT_OUT };
  const judged = replaceValueTexts(args.result, replace);
  return judged === args.result ? undefined : { result: judged };
}

const createAnswerGuard = (guard: HttpGuard): AnswerGuard => ({
  window: guard.window,
  context: 0,
  response: guard.response,
  bound: 'endpointText',
  judgesReasoning: true,
  async judgeWindows(args, windows, what) {
    const stage = what === 'stream' ? 'processOutputStream' : 'processOutputResult';
    const texts = windows.map(({ text }) => text);
    const verdicts = await judgeGroups(
      guard,
      args,
      { stage, direction: 'response' },
      texts.map((text) => [text]),
    );
    return texts.map((text, at) => {
      const { isBlocked, replace } = verdicts[at] ?? PASSED;
      return isBlocked ? '' : replace(text);
    });
  },
});
