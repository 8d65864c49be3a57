// Represents the model of a stage. Millrace passes an id: provider and name are readable, and a call throws an error
// that names it as unsupported.
import { isObject, MillraceError } from '@millrace/contracts';

export type ForeignModel = { specificationVersion: 'v2'; provider: string; modelId: string };

const ids = new WeakMap<object, string>();
const CALLS = ['doGenerate', 'doStream', 'supportedUrls'];

export function createForeignModel(id: string): ForeignModel {
  const slash = id.indexOf('/');
  const model: ForeignModel = {
    specificationVersion: 'v2',
    provider: id.slice(0, Math.max(0, slash)),
    modelId: id.slice(slash + 1),
  };
  for (const name of CALLS) {
    Object.defineProperty(model, name, {
      get() {
        throw new MillraceError('not-built-yet', `model.${name} is not there: "${id}" is called by the orchestrator.`, {
          remedy: 'Give the processor a model of its own.',
        });
      },
    });
  }
  ids.set(model, id);
  return model;
}

/** The id of a model that was returned: a router id, the model that was given, or a configuration with an id alone. */
export function readModelId(returned: unknown): unknown {
  if (!isObject(returned)) return returned;
  const { id, url } = returned;
  return ids.get(returned) ?? (typeof id === 'string' && url === undefined ? id : returned);
}
