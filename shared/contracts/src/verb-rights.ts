// Assigns to each public verb its scope, and the parts of an agent's definition that an end client reads.
import { z } from 'zod';
import { API, type ApiAnswer, type ApiVerb } from './api.ts';
import type { Scope } from './identity.ts';
import { publicAgentSchema, showAgent } from './public-agent.ts';

/** Answers that end clients receive in a form of their own. */
export const PUBLIC_ANSWERS = {
  'agents-list': z.object({ agents: z.array(publicAgentSchema), next: API['agents-list'].answer.shape.next }),
  'agents-get': publicAgentSchema,
} as const;
export type PublicVerb = keyof typeof PUBLIC_ANSWERS;
export type PublicAnswer<V extends PublicVerb> = z.infer<(typeof PUBLIC_ANSWERS)[V]>;

/**
 * Parts of a definition, with its plan, in answers and refusals. `agents`: names of the agents of the tenant. `public`:
 * the public part. `names`: of entries, processors, tools and memories. `model`: its id.
 */
export const DEFINITION_PARTS = ['agents', 'public', 'names', 'model'] as const;
export type DefinitionPart = (typeof DEFINITION_PARTS)[number];

type VerbRight<V extends ApiVerb> = {
  scope: Scope;
  /** Parts that an end client reads. Operators read everything. */
  shows: readonly DefinitionPart[];
  /** Converts the answer for an end client. Absent: both receive the same form. */
  show?: (answer: ApiAnswer<V>) => unknown;
};

/** For operators, to whom no part is hidden. */
const permitOperators = (scope: 'operate' | 'admin') => ({ scope, shows: DEFINITION_PARTS });

/** The scope that each verb requires, and the parts of a definition that it shows. */
export const VERB_RIGHTS: { readonly [V in ApiVerb]: VerbRight<V> } = {
  submit: { scope: 'run', shows: ['agents', 'names'] },
  cancel: { scope: 'run', shows: [] },
  delete: { scope: 'run', shows: [] },
  check: { scope: 'run', shows: ['agents', 'names'] },
  'threads-create': { scope: 'run', shows: ['agents'] },
  'threads-update': { scope: 'run', shows: ['agents'] },
  'threads-clone': { scope: 'run', shows: ['agents'] },
  'threads-delete': { scope: 'run', shows: [] },
  'threads-truncate': { scope: 'run', shows: [] },
  'messages-delete': { scope: 'run', shows: [] },
  run: { scope: 'read', shows: ['agents', 'names', 'model'] },
  replay: { scope: 'read', shows: ['agents', 'names', 'model'] },
  events: { scope: 'read', shows: ['names', 'model'] },
  'runs-list': { scope: 'read', shows: ['agents'] },
  'runs-newest': { scope: 'read', shows: ['agents', 'names', 'model'] },
  'saves-list': { scope: 'read', shows: ['names'] },
  'agents-list': {
    scope: 'read',
    shows: ['agents', 'public'],
    show: ({ agents, ...page }) => ({ agents: agents.map(showAgent), ...page }),
  },
  'agents-get': { scope: 'read', shows: ['agents', 'public'], show: showAgent },
  'threads-list': { scope: 'read', shows: ['agents'] },
  'threads-get': { scope: 'read', shows: ['agents'] },
  'threads-search': { scope: 'read', shows: [] },
  'messages-list': { scope: 'read', shows: ['names'] },
  'memory-get': { scope: 'read', shows: [] },
  answer: { scope: 'answer', shows: [] },
  release: { scope: 'answer', shows: [] },
  inspect: permitOperators('operate'),
  resume: permitOperators('operate'),
  'suspended-list': permitOperators('operate'),
  'events-detail': permitOperators('operate'),
  changes: permitOperators('operate'),
  'dead-letters-list': permitOperators('operate'),
  'dead-letters-retry': permitOperators('operate'),
  processors: permitOperators('operate'),
  'processors-try': permitOperators('operate'),
  'tools-call': permitOperators('operate'),
  status: permitOperators('operate'),
  erase: permitOperators('operate'),
  'messages-save': permitOperators('operate'),
  'memory-set': permitOperators('operate'),
  'agents-apply': permitOperators('admin'),
  'agents-delete': permitOperators('admin'),
  'agents-plan': permitOperators('admin'),
  'keys-create': permitOperators('admin'),
  'keys-list': permitOperators('admin'),
  'keys-revoke': permitOperators('admin'),
};

/**
 * Verbs that show or change the runs of others, or the agents of the tenant, or that store text that no guard judges.
 * Only operators may request them.
 */
export const isOperatorVerb = (verb: ApiVerb): boolean => ['operate', 'admin'].includes(VERB_RIGHTS[verb].scope);
