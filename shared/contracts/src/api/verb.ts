// Defines one public verb.
import type { z } from 'zod';
import type { Scope } from './identity.ts';

/**
 * Parts of a definition, with its plan, in answers and refusals. `agents`: names of the agents of the tenant. `public`:
 * the public part. `names`: of entries, processors, tools and memories. `model`: its id.
 */
const DEFINITION_PARTS = ['agents', 'public', 'names', 'model'] as const;
export type DefinitionPart = (typeof DEFINITION_PARTS)[number];

type VerbTerms = {
  /** The service that owns the data of the verb, and answers it. Default: orchestrator. */
  owner?: 'message-history' | 'semantic-recall' | 'working-memory' | 'auth';
  /** The scope that a credential needs. A verb of `operate` or `admin` is for operators. */
  scope: Scope;
  /** Parts of a definition that an end client reads. Operators read everything. Default: none. */
  shows?: readonly DefinitionPart[];
  /** The subject ends in a run id. */
  run?: boolean;
  /** A second request would have another result or a second effect, or could cost another model call: no caller repeats it. */
  once?: boolean;
};

export const isOperatorScope = (scope: Scope): boolean => scope === 'operate' || scope === 'admin';

export const defineVerb = <I extends z.ZodType, O extends z.ZodType>(
  { owner, scope, shows = [], run = false, once = false }: VerbTerms,
  request: I,
  answer: O,
) => ({
  request,
  answer,
  owner: owner ?? ('orchestrator' as const),
  scope,
  shows: isOperatorScope(scope) ? DEFINITION_PARTS : shows,
  run,
  once,
});
