// Compares the tools of a server with the accepted ones. Pure.
import { toShownText } from '@millrace/contracts';
import type { PinnedTool } from './mcp-file.ts';
import { hashDefinition, type LiveTool } from './tool-definition-hash.ts';

export type ToolComparison = {
  /** By tool: why its calls are refused. */
  refused: ReadonlyMap<string, string>;
  /** Tools that no operator has accepted; no agent can use them. */
  notAccepted: string[];
};

export function compareTools(live: readonly LiveTool[], tools: Readonly<Record<string, PinnedTool>>): ToolComparison {
  const current = new Map(live.map((tool) => [tool.name, hashDefinition(tool)]));
  const refused = Object.entries(tools).flatMap(([name, { pin }]): [string, string][] => {
    const hash = current.get(name);
    if (hash === undefined) return [[name, 'the server does not have it any more']];
    return hash === pin ? [] : [[name, `its definition has changed to ${hash}`]];
  });
  const notAccepted = [...current.keys()].filter((name) => !Object.hasOwn(tools, name)).map(toShownText);
  return { refused: new Map(refused), notAccepted };
}
