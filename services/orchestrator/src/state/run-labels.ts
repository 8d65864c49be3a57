// Labels the texts that the orchestrator itself adds to a run: submitted messages, answers of the model,
// results of tools, and the reason of a repetition. Pure.
import { isDeepStrictEqual } from 'node:util';
import {
  isLabel,
  labelMessage,
  withLabels,
  isOwnCall,
  isToken,
  listUntrustedOrigins,
  findLowestTrust,
  listModelParts,
  type Chunk,
  type Label,
  type Message,
  type MessageOp,
  type MessagePart,
  type Plan,
  type RunState,
  type SystemMessage,
  type Trust,
} from '@millrace/contracts';

type PromptedState = Pick<RunState, 'conversation' | 'taint'>;

/** Returns whether untrusted content is in the prompt, or the model has read any. */
export const isRunTainted = ({ conversation, taint }: PromptedState): boolean =>
  taint.origins.length > 0 || findLowestTrust(conversation) === 'untrusted';

/**
 * Returns the trust of an answer of the model: that of the prompt, unless an entry of the stream adds text from outside, or
 * may hold untrusted text in its state.
 */
export function readAnswerTrust(state: Pick<RunState, 'conversation' | 'taint' | 'applied'>): Trust {
  const { entries, order } = state.applied.plan;
  const isOutside = (name: string) => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    return entry !== undefined && !entry.declassifies && (entry.addsText || state.taint.entries.includes(name));
  };
  return isRunTainted(state) || order.processOutputStream?.some(isOutside) ? 'untrusted' : 'trusted';
}

/** Returns the origins of the untrusted content of the prompt. The model is one only if no other is known. */
export function listTaintOrigins({ conversation, taint }: PromptedState): string[] {
  const origins = [...new Set([...listUntrustedOrigins(conversation), ...taint.origins])];
  const outside = origins.filter((origin) => origin !== 'model');
  return outside.length > 0 ? outside : origins;
}

/** Labels the messages without labels: an answer of the model inherits the lowest trust of the prompt. */
export function labelOwnOps(
  state: Pick<RunState, 'conversation' | 'taint' | 'applied'>,
  ops: readonly MessageOp[],
): MessageOp[] {
  const isLabelled = (op: MessageOp) =>
    !('message' in op) || listModelParts(op.message).every((part) => isLabel(part['label']));
  if (ops.every(isLabelled)) return [...ops];
  const trust = readAnswerTrust(state);
  return ops.map((op) => {
    if (!('message' in op) || isLabelled(op)) return op;
    const isAnswer = op.op === 'replace' || op.source === 'response';
    return { ...op, message: labelAnswer(op.message, isAnswer ? trust : 'untrusted') };
  });
}

/** Labels an answer that processors have changed: unchanged parts keep their labels. @param before the message with its labels */
export function labelChanged(
  state: Pick<RunState, 'conversation' | 'taint' | 'applied'>,
  message: Message,
  before: Message | undefined,
): Message {
  const trust = readAnswerTrust(state);
  return labelMessage(message, before, { cap: trust, unlabelled: trust, origin: 'model', keepsOrigins: true });
}

/** Sources and results of the provider's own tools are untrusted, and so is the rest of the answer: the model has read them. */
export function labelAnswer(message: Message, prompt: Trust): Message {
  const isOutside = message.content.parts.some(isFromProvider);
  const trust = isOutside ? 'untrusted' : prompt;
  return withLabels(message, (part) => {
    const given = part['label'];
    if (isLabel(given)) return given;
    return { origin: isFromProvider(part) ? 'provider' : 'model', trust };
  });
}

const isFromProvider = (part: MessagePart): boolean =>
  part.type === 'source' || (part.type === 'tool-invocation' && !isOwnCall(part));

/** Returns whether the model has read content of the provider: a source, or the result of a tool that the provider calls. */
export const holdsProviderContent = (chunks: readonly Chunk[]): boolean =>
  chunks.some((part) => part.type === 'source' || isProviderCall(part));

function isProviderCall(part: Chunk): boolean {
  return (part.type === 'tool-call' || part.type === 'tool-result') && part.payload.providerExecuted === true;
}

/**
 * Labels the results of the calls of an answer. The agent can declare that the results of a tool keep the label of the call.
 * @param answered positions of the calls whose result is the caller's answer: such a result adds no untrusted content to the call
 */
export function labelResults(
  message: Message,
  { plan }: RunState['applied'],
  answered: ReadonlySet<number> = new Set(),
): Message {
  const calls = message.content.parts.filter(isOwnCall);
  return withLabels(message, (part) => {
    const given = part['label'];
    const own: Label = isLabel(given) ? given : { origin: 'model', trust: 'untrusted' };
    if (!isOwnCall(part) || part.toolInvocation.state !== 'result') return own;
    if (answered.has(calls.indexOf(part)))
      return own.trust === 'trusted' ? { origin: 'caller', trust: 'trusted' } : own;
    const { toolName } = part.toolInvocation;
    if (inheritsTrust(plan, toolName)) return own;
    return { origin: isToken(toolName) ? `tool:${toolName}` : 'model', trust: 'untrusted' };
  });
}

/** Returns whether the results of the tool have the trust of the call. */
export function inheritsTrust({ toolRules }: Pick<Plan, 'toolRules'>, tool: string): boolean {
  return toolRules !== undefined && Object.hasOwn(toolRules, tool) && toolRules[tool]?.resultTrust === 'inherit';
}

/** Chunks with text of the model alone, or with none. */
const MODEL_CHUNKS =
  /^(?:start|step-start|step-finish|finish|object|object-result|response-metadata|(?:text|reasoning)-(?:start|delta|end)|tool-call(?:-.*)?)$/;

/** Returns the lowest trust of the content of chunks: results, errors and progress of tools are untrusted. */
export function readChunksTrust(
  state: Pick<RunState, 'conversation' | 'taint' | 'applied' | 'open' | 'pending'>,
  chunks: readonly Chunk[],
): Trust {
  const isInherited = (part: Chunk) =>
    part.type === 'tool-result' &&
    (inheritsTrust(state.applied.plan, part.payload.toolName) || isCallerAnswer(state, part.payload.toolCallId));
  const isOutside = (part: Chunk) =>
    !MODEL_CHUNKS.test(part.type) && !isInherited(part) && !isQuestionOfModel(state, part);
  return chunks.some(isOutside) ? 'untrusted' : readAnswerTrust(state);
}

/** Returns whether the chunk shows a question that repeats the arguments of its call, which are the words of the model. */
const isQuestionOfModel = ({ pending }: Pick<RunState, 'pending'>, part: Chunk): boolean =>
  part.type === 'error' &&
  pending.some(({ toolCall }) => toolCall && isDeepStrictEqual(part.payload.error, { payload: toolCall.args }));

/** Calls of one answer may share an id: then each of them has to be answered by the caller. */
function isCallerAnswer({ open }: Pick<RunState, 'open'>, id: string): boolean {
  const results = open?.results.filter(({ toolCallId }) => toolCallId === id) ?? [];
  return results.length > 0 && results.every(({ origin }) => origin === 'caller');
}

/** Returns the label of a processor's reason for a repetition: it may quote content of the run. */
export const labelFeedback = (state: PromptedState): NonNullable<SystemMessage['label']> => ({
  origin: 'unlabelled',
  trust: isRunTainted(state) ? 'untrusted' : 'trusted',
});
