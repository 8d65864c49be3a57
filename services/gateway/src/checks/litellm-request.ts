// The request of LiteLLM's Generic Guardrail API (version 1.106.2), and its conversion to a check. Absent members are null.
import {
  MillraceError,
  buildTextMessage,
  type ApiRequestInput,
  type CheckAnswer,
  type MessagePart,
} from '@millrace/contracts';
import { z } from 'zod';

const toolCallSchema = z.looseObject({ function: z.looseObject({ arguments: z.string().nullish() }).nullish() });

export const guardrailRequestSchema = z.looseObject({
  input_type: z.enum(['request', 'response']),
  texts: z.array(z.string()).nullish(),
  images: z.array(z.unknown()).nullish(),
  structured_messages: z.array(z.unknown()).nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  additional_provider_specific_params: z.looseObject({ agent: z.string().nullish() }).nullish(),
});
export type GuardrailRequest = z.output<typeof guardrailRequestSchema>;

export type GuardrailAnswer = {
  action: 'NONE' | 'BLOCKED' | 'GUARDRAIL_INTERVENED';
  blocked_reason?: string;
  texts?: string[];
  /** Code points at the end of each text that the proxy withholds until the next round. */
  stream_holdback_chars?: number[];
};

/**
 * Returns the agent that judges. Users of the proxy can set the parameters of the guardrail in a request, so an agent in
 * the path is the only one that counts.
 *
 * @throws run-refused
 */
export function chooseAgent(
  { additional_provider_specific_params: params }: GuardrailRequest,
  fromPath?: string,
): string {
  const named = params?.agent ?? undefined;
  const agent = fromPath ?? named;
  const path = 'additional_provider_specific_params.agent';
  if (agent === undefined)
    throw new MillraceError('run-refused', 'The request names no agent.', {
      path,
      remedy: 'End the api_base of the guardrail in /v1/agents/AGENT, or set the parameter "agent".',
    });
  if (named !== undefined && named !== agent)
    throw new MillraceError('run-refused', 'The parameter "agent" differs from the agent of the path.', {
      path,
      remedy: 'Leave the parameter out.',
    });
  return agent;
}

/** Returns the block of a request with a file. */
export const blockFile = (path: string): GuardrailAnswer => ({
  action: 'BLOCKED',
  blocked_reason: `${path} is a file that no processor of the agent has judged and passed. Send its text instead.`,
});

/** Converts a request to a check of its texts, of the arguments of its tool calls and of its files; undefined if it has none. */
export function makeCheck(
  request: GuardrailRequest,
  agent: string,
  files: MessagePart[] = [],
): ApiRequestInput<'check'> | undefined {
  const all = [...(request.texts ?? []), ...listArguments(request)];
  if (all.length + files.length === 0) return undefined;
  // The proxy sends the text so far for each round of a stream, and does not mark the last round.
  if (request.input_type === 'response') return { agent, direction: 'output', texts: all, complete: false };
  const messages = all.map((text, at) => buildTextMessage(`m${at}`, 'user', text));
  const withFiles = {
    ...buildTextMessage(`m${all.length}`, 'user', ''),
    content: { format: 2 as const, parts: files },
  };
  return { agent, direction: 'input', messages: files.length > 0 ? [...messages, withFiles] : messages };
}

/** Returns the path of a file in the request by its path in the check, or undefined if that names no file. */
export function readFilePath(
  request: GuardrailRequest,
  files: readonly { path: string }[],
  path = '',
): string | undefined {
  const at = (request.texts ?? []).length + listArguments(request).length;
  const [, file] = new RegExp(`^messages\\[${at}\\]\\.content\\.parts\\[(\\d+)\\]`).exec(path) ?? [];
  return file === undefined ? undefined : files[Number(file)]?.path;
}

/** The arguments of functions; of a call without a function all of it. */
const listArguments = ({ tool_calls: calls }: GuardrailRequest): string[] =>
  (calls ?? []).flatMap((call) => (call.function ? (call.function.arguments ?? []) : JSON.stringify(call)));

/** Converts the answer. The protocol has no form for changed arguments of a tool call, so a change of them blocks. */
export function writeGuardrailAnswer(request: GuardrailRequest, answer: CheckAnswer): GuardrailAnswer {
  if (answer.action === 'block')
    return { action: 'BLOCKED', blocked_reason: answer.reason ?? 'A processor blocked the text.' };
  const given = request.texts ?? [];
  const texts = answer.texts.slice(0, given.length);
  const calls = answer.texts.slice(given.length);
  if (listArguments(request).some((text, at) => calls[at] !== text))
    return { action: 'BLOCKED', blocked_reason: 'A processor changed the arguments of a tool call.' };
  const isChanged = texts.some((text, at) => text !== given[at]);
  const { undecided } = answer;
  return {
    action: isChanged ? 'GUARDRAIL_INTERVENED' : 'NONE',
    texts,
    ...(undecided && { stream_holdback_chars: texts.map((text, at) => countCodePoints(text, undecided[at] ?? 0)) }),
  };
}

/** The proxy counts code points, the check UTF-16 code units. */
const countCodePoints = (text: string, units: number): number => Array.from(text.slice(text.length - units)).length;
