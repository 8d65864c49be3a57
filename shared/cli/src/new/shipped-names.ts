// The ids of the processors and tools that ship with Millrace. Two services that serve one id exclude each other.
import type { ScaffoldKind } from './scaffold.ts';
import { SHIPPED_PROCESSORS } from './shipped-processors.ts';

const TOOLS: readonly string[] = ['ask-user', 'calculator', 'clock', 'send-feedback'];

export const SHIPPED_NAMES: Readonly<Record<ScaffoldKind, readonly string[]>> = {
  processor: SHIPPED_PROCESSORS,
  tool: TOOLS,
};

/** @returns the problem in words with its remedy, or undefined */
export function findShippedNameProblem(kind: ScaffoldKind, id: string): string | undefined {
  if (!SHIPPED_NAMES[kind].includes(id)) return undefined;
  return `Millrace ships a ${kind} with this id, and only one service may serve it; choose another id, for example my-${id}`;
}
