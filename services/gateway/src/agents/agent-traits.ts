// Remembers for a few seconds the properties of agents that decide how a request is converted.
import type { Bus } from '@millrace/bus';
import { attachClient } from '@millrace/client';
import type { CallerSetting } from '@millrace/contracts';
import type { Access } from '../access/access.ts';

/** The properties of an agent that limit the settings of a request. */
export type SettingTraits = { callerSettings: readonly CallerSetting[]; hasForm: boolean };

type AgentTraits = {
  /** The agent accepts system messages of callers. */
  acceptsSystem: boolean;
  /** Memory adds the messages of a thread: a request submits only new ones. */
  hasHistory: boolean;
} & SettingTraits;
/** Reads as the gateway: an end client reads only the public part of an agent. @throws agent-unknown */
export type ReadTraits = (access: Access, agent: string) => Promise<AgentTraits>;

const KNOWN_MS = 5_000;
/** Maximum number of remembered agents. */
const MAX_KNOWN = 1_000;

export function createTraitReader(bus: Bus, now: () => number = Date.now): ReadTraits {
  const known = new Map<string, { traits: AgentTraits; until: number }>();
  return async ({ identity: { tenant } }, name) => {
    const key = `${tenant} ${name}`;
    const recent = known.get(key);
    if (recent && recent.until > now()) return recent.traits;
    const { agent } = await (await attachClient(bus, { tenant })).agents.get(name);
    const traits = {
      acceptsSystem: agent.callerRoles.includes('system'),
      hasHistory: (agent.memory?.lastMessages ?? 0) > 0,
      callerSettings: agent.callerSettings ?? [],
      hasForm: agent.structuredOutput !== undefined,
    };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { traits, until: now() + KNOWN_MS });
    return traits;
  };
}
