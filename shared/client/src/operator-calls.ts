// Implements the calls of operators: agents, keys, processors, dead letters; and the public part of agents.
import { CHECK_MS, MillraceError, isOperator } from '@millrace/contracts';
import type { Client } from './client-api.ts';
import { collectAgents, collectKeys } from './collect-pages.ts';
import type { ClientConnection } from './connection.ts';
import { collectProcessors } from './processor-list.ts';
import { requireJson } from './run-request.ts';

/** Time for the answer of a check to arrive after its own deadline. */
export const ANSWER_MS = 5_000;
/** Longer than the timeout of most tools, which the orchestrator applies. */
const TOOL_MS = 300_000;

type OperatorCalls = Pick<Client, 'deadLetters' | 'agents' | 'keys' | 'processors' | 'callTool' | 'status' | 'models'>;

export const createOperatorCalls = ({ ask, askPublic, caller, mayUse }: ClientConnection): OperatorCalls => ({
  deadLetters: {
    list: (page = {}) => ask('dead-letters-list', page),
    retry: (run) => ask('dead-letters-retry', {}, { run }),
  },
  agents: {
    apply: async (definition, { dryRun = false } = {}) => {
      requireJson(definition, 'definition');
      return ask('agents-apply', { definition, dryRun });
    },
    list: async () => {
      refuseWhole(caller);
      return collectAgents((page) => ask('agents-list', page));
    },
    get: async (agent) => {
      refuseWhole(caller);
      return ask('agents-get', { agent });
    },
    listPublic: async () => {
      const agents = await collectAgents((page) => askPublic('agents-list', page));
      return agents.filter(({ agent }) => mayUse(agent.name));
    },
    getPublic: (agent) => askPublic('agents-get', { agent }),
    delete: (agent) => ask('agents-delete', { agent }),
    plan: async (of) => {
      requireJson(of, 'plan');
      return ask('agents-plan', of);
    },
  },
  keys: {
    create: (key) => ask('keys-create', key),
    list: () => collectKeys(ask),
    revoke: async (id) => void (await ask('keys-revoke', { id })),
  },
  processors: {
    list: async () => (await collectProcessors(ask)).processors,
    survey: ({ loads } = {}) => collectProcessors(ask, loads),
    try: (request) => ask('processors-try', request, { timeoutMs: (request.timeoutMs ?? CHECK_MS) + ANSWER_MS }),
  },
  status: () => ask('status', {}),
  models: () => ask('models', {}),
  callTool: (request) => ask('tools-call', request, { timeoutMs: TOOL_MS }),
});

/** The service shows an end client the public part, which has no plan. @throws scope-missing */
function refuseWhole(caller: string): void {
  if (isOperator(caller)) return;
  throw new MillraceError('scope-missing', 'Only operators read whole definitions of agents.', {
    remedy: 'Call agents.listPublic or agents.getPublic, or connect without a subject, as an operator.',
  });
}
