// Matches the results of a history to its calls, for every protocol in which a client sends the whole conversation. Ids of
// calls may repeat: some providers count the calls of each answer from zero.

/** A message or an item of a history: its calls, or the call to which it is a result. */
export type HistoryStep = { role: string; callIds?: readonly string[]; resultId?: string | undefined };

/** `id` is unique among the calls of the history. `resultAt`: the step with the result. */
export type MatchedCall = { id: string; resultAt: number | undefined };

/** The open calls of one answer with the same id; `taken` of them have a result. */
type OpenCalls = { turn: number; calls: MatchedCall[]; taken: number };

/**
 * Returns the calls of each step. A call takes the next unused result of its id, in order. A result belongs to the latest answer before it
 * that has an open call of its id, so that a call without a result takes none of a later one.
 */
export function matchCalls(history: readonly HistoryStep[]): MatchedCall[][] {
  const createId = createCallNamer();
  const open = new Map<string, OpenCalls[]>();
  const early: { of: string; at: number }[] = [];
  let turn = 0;
  const matched = history.map(({ role, callIds = [], resultId: of }, at) => {
    if (role !== 'assistant') turn += 1;
    if (of !== undefined && !takeResult(open.get(of), at, 'last')) early.push({ of, at });
    return callIds.map((sent) => {
      const call: MatchedCall = { id: createId(sent), resultAt: undefined };
      addOpen(open, sent, { turn, call });
      return call;
    });
  });
  for (const { of, at } of early) takeResult(open.get(of), at, 'first');
  return matched;
}

function addOpen(
  open: Map<string, OpenCalls[]>,
  sent: string,
  { turn, call }: { turn: number; call: MatchedCall },
): void {
  const turns = open.get(sent) ?? [];
  const last = turns.at(-1);
  if (last?.turn === turn) last.calls.push(call);
  else turns.push({ turn, calls: [call], taken: 0 });
  open.set(sent, turns);
}

/** Gives the result to the next open call of an answer. Returns false if no call is open. */
function takeResult(turns: OpenCalls[] | undefined, at: number, from: 'first' | 'last'): boolean {
  const found = turns?.at(from === 'first' ? 0 : -1);
  const call = found?.calls[found.taken];
  if (!turns || !found || !call) return false;
  call.resultAt = at;
  found.taken += 1;
  if (found.taken === found.calls.length) turns.splice(from === 'first' ? 0 : -1, 1);
  return true;
}

/** Providers accept ids of 40 characters. */
const MAX_ID = 40;
const MAX_PREFIX = 32;

/** Returns a function that shortens ids, and numbers those that repeat: the same history has the same ids again. */
function createCallNamer(): (id: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (sent) => {
    const short = sent.replace(/^call_/, '').slice(-MAX_ID);
    const prefix = short.slice(0, MAX_PREFIX);
    let id = short;
    for (let count = counts.get(prefix) ?? 2; taken.has(id); count += 1) {
      id = `${prefix}_${count}`;
      counts.set(prefix, count + 1);
    }
    taken.add(id);
    return id;
  };
}
