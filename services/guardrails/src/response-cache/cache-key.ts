// What two model calls must have in common to have one answer: whose they are, everything that the provider is asked, and who judges the
// answer, by version and options (docs/semantics.md).
import { createHash } from 'node:crypto';
import type { ProcessLLMRequestArgs } from '@millrace/processor';
import { ownerKey, type OwnerScope } from '../store/owner-key.ts';

/** Of the key and of what stands under it: another form is another key. */
const FORM = 1;

/** @returns undefined where the run belongs to nobody: what nobody owns is not shared */
export function cacheKey(scope: OwnerScope, args: ProcessLLMRequestArgs): string | undefined {
  const owner = ownerKey('response-cache', scope, args.run);
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
    .update(JSON.stringify(sorted(asked)))
    .digest('hex')}`;
}

/** The same, written in another order, is the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  // Not an object: a member "__proto__" would be lost.
  return members.map(([name, member]) => [name, sorted(member)]);
}
