// Implements the calls of operators: agents, keys, processors, dead letters.
import type { Client } from './client-api.ts';
import { collectAgents, collectKeys } from './collect-pages.ts';
import type { AskApi } from './connection.ts';
import { collectProcessors } from './processor-list.ts';
import { requireJson } from './run-request.ts';

type OperatorCalls = Pick<Client, 'deadLetters' | 'agents' | 'keys' | 'processors'>;

export const createOperatorCalls = (ask: AskApi): OperatorCalls => ({
  deadLetters: {
    list: (page = {}) => ask('dead-letters-list', page),
    retry: (run) => ask('dead-letters-retry', {}, { run }),
  },
  agents: {
    apply: async (definition, { dryRun = false } = {}) => {
      requireJson(definition, 'definition');
      return ask('agents-apply', { definition, dryRun });
    },
    list: () => collectAgents(ask),
    get: (agent) => ask('agents-get', { agent }),
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
  },
});
