// What is compared of a conversation, in one form for both sides.
export type Tripwire = { reason: string; retry?: boolean; metadata?: unknown };
export type SentMessage = { role: string; text: string; calls: string[]; resultOf?: string };
export type Outcome = {
  text: string;
  /** The reference's text is that of the last step; this is that of all of them, as its documentation says. */
  ofAllSteps?: string;
  tripwire: Tripwire | undefined;
  /** What was sent to the model, call by call. */
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

/** Chat completions as lines: ids of calls by the order in which they came, since each side makes its own. */
export function sentPrompt(body: unknown): SentMessage[] {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `call ${ids.size}`);
    return ids.get(id) ?? '';
  };
  const { messages = [] } = body as Body;
  return messages.map(({ role, content, tool_calls = [], tool_call_id }) => ({
    role,
    text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
    calls: tool_calls.map(({ id, function: { name, arguments: args } }) => `${idOf(id)} ${name} ${args}`),
    ...(tool_call_id !== undefined && { resultOf: idOf(tool_call_id) }),
  }));
}

export function tripwireOf(
  given: { reason?: string; retry?: boolean; metadata?: unknown } | undefined,
): Tripwire | undefined {
  if (!given) return undefined;
  const { reason = '', retry, metadata } = given;
  return { reason, ...(retry && { retry }), ...(metadata !== undefined && metadata !== null && { metadata }) };
}
