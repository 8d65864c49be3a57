// Builds the key of a cached answer from the owner, the complete provider request, and the versions and options of the
// judging processors (docs/semantics.md).
import { createHash } from 'node:crypto';
import type { ProcessLLMRequestArgs } from '@millrace/processor';
import { buildOwnerKey, type OwnerScope } from '../../store/guard-store.ts';

/** Version of the key and of the stored value. A change of either format needs a new version. */
const FORM = 1;

/** @returns undefined if the run has no owner, because unowned answers are not shared */
export function buildCacheKey(scope: OwnerScope, args: ProcessLLMRequestArgs): string | undefined {
  const owner = buildOwnerKey('response-cache', scope, args.run);
  if (owner === undefined) return undefined;
  const { prompt, model, tools, toolChoice, modelSettings, providerOptions, structuredOutput, guards, run } = args;
  const agent = run.agent;
  const asked = {
    FORM,
    agent,
    prompt,
    model,
    tools,
    toolChoice,
    modelSettings,
    providerOptions,
    structuredOutput,
    guards,
  };
  return `${owner}:${createHash('sha256')
    .update(JSON.stringify(sortMembers(asked)))
    .digest('hex')}`;
}

/** Sorts members, so that requests with a different member order have the same key. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  // Not an object: it would lose a member "__proto__".
  return members.map(([name, member]) => [name, sortMembers(member)]);
}
