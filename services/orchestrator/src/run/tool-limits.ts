// The limits that the agent's entry of a tool sets for a run: the number of its calls, and of concurrent ones.
import {
  getOwnMember,
  pickCall,
  type PlacedCall,
  type PlacedResult,
  type ToolCall,
  type ToolRule,
} from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

const readRule = ({ plan }: Run, tool: string): Partial<ToolRule> => getOwnMember(plan.toolRules ?? {}, tool) ?? {};

/**
 * Returns the result of a call above the limit, which the model reads; undefined for a call within it. A call that waits
 * for an approval reserves its place for the later calls of its answer.
 * @param allowed calls of the answer that the state does not count yet
 */
export function findExhausted(
  run: Run,
  call: PlacedCall,
  allowed: readonly ToolCall[],
): Omit<PlacedResult, 'position'> | undefined {
  const { maxCalls } = readRule(run, call.toolName);
  if (maxCalls === undefined) return undefined;
  const { toolCalls, pending } = run.getState();
  const waiting = pending.flatMap(({ stage, toolCall, position = Infinity }) =>
    stage === 'processToolCall' && toolCall && position < call.position ? [toolCall] : [],
  );
  const own = [...allowed, ...waiting].filter(({ toolName }) => toolName === call.toolName);
  if ((getOwnMember(toolCalls, call.toolName) ?? 0) + own.length < maxCalls) return undefined;
  const error = {
    code: 'tool-calls-exhausted',
    message: `${call.toolName} may be called ${maxCalls} times in a run, and was not called again.`,
    remedy: 'Answer with the information that you have, or use another tool.',
  };
  return { ...pickCall(call), result: { error }, isError: true };
}

const readConcurrency = (run: Run, tool: string): number => readRule(run, tool).concurrency ?? Infinity;

/** Returns the calls that may be made at once. */
export function listFirst(run: Run, calls: readonly PlacedCall[]): PlacedCall[] {
  const taken = new Map<string, number>();
  return calls.filter(({ toolName }) => {
    const before = taken.get(toolName) ?? 0;
    taken.set(toolName, before + 1);
    return before < readConcurrency(run, toolName);
  });
}

type ToolPlaces = {
  isFree(tool: string): boolean;
  /** Holds a place of the tool until the call has ended. */
  hold(tool: string, calling: Promise<void>): Promise<void>;
};

export function createToolPlaces(run: Run): ToolPlaces {
  const running = new Map<string, number>();
  const count = (tool: string, by: number) => running.set(tool, (running.get(tool) ?? 0) + by);
  return {
    isFree: (tool) => (running.get(tool) ?? 0) < readConcurrency(run, tool),
    async hold(tool, calling) {
      count(tool, 1);
      await calling.finally(() => count(tool, -1));
    },
  };
}
