// The compared parts of a conversation, in one form for both sides.
export type ComparedTripwire = { reason: string; retry?: boolean; metadata?: unknown };
export type SentMessage = { role: string; text: string; calls: string[]; callLabel?: string };
export type ComparedOutcome = {
  text: string;
  /** The text of all steps, as the reference documents it; its own text is that of the last step. */
  ofAllSteps?: string;
  tripwire: ComparedTripwire | undefined;
  /** Messages of each model call, in order. */
  prompts: SentMessage[][];
  error?: string;
};

type Body = {
  messages?: {
    role: string;
    content?: string | { type: string; text?: string }[] | null;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
  }[];
};

/** Formats chat completions as lines, with ids of calls by their order, because each side generates its own ids. */
export function sentPrompt(body: unknown): SentMessage[] {
  const ids = new Map<string, string>();
  const numberId = (id: string) => {
    if (!ids.has(id)) ids.set(id, `call ${ids.size}`);
    return ids.get(id) ?? '';
  };
  const { messages = [] } = body as Body;
  return messages.map(({ role, content, tool_calls = [], tool_call_id }) => ({
    role,
    text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
    calls: tool_calls.map(({ id, function: { name, arguments: args } }) => `${numberId(id)} ${name} ${args}`),
    ...(tool_call_id !== undefined && { callLabel: numberId(tool_call_id) }),
  }));
}

export function toTripwire(
  given: { reason?: string; retry?: boolean; metadata?: unknown } | undefined,
): ComparedTripwire | undefined {
  if (!given) return undefined;
  const { reason = '', retry, metadata } = given;
  return { reason, ...(retry && { retry }), ...(metadata !== undefined && metadata !== null && { metadata }) };
}
