// Assigns a scope to each public verb.
import type { ApiVerb } from './api.ts';
import type { Scope } from './identity.ts';

/** The scope that each verb requires. */
export const VERB_SCOPES: Readonly<Record<ApiVerb, Scope>> = {
  submit: 'run',
  cancel: 'run',
  run: 'read',
  replay: 'read',
  events: 'read',
  'runs-list': 'read',
  'saves-list': 'read',
  'agents-list': 'read',
  'agents-get': 'read',
  'threads-list': 'read',
  'threads-get': 'read',
  'messages-list': 'read',
  'memory-get': 'read',
  answer: 'answer',
  release: 'answer',
  inspect: 'operate',
  resume: 'operate',
  'suspended-list': 'operate',
  'events-detail': 'operate',
  'dead-letters-list': 'operate',
  'dead-letters-retry': 'operate',
  processors: 'operate',
  'agents-apply': 'admin',
  'agents-delete': 'admin',
  'agents-plan': 'admin',
  'keys-create': 'admin',
  'keys-list': 'admin',
  'keys-revoke': 'admin',
};
