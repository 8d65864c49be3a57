// The processors that a service ships, for programs that judge many texts with them in one process. Found by their path, as a
// service's program is: nobody imports a service.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createModels, type Models } from '@millrace/models';
import type { ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../../..');

const definitionSchema = z.custom<ProcessorDefinition>(
  (value) => z.looseObject({ id: z.string(), create: z.function() }).safeParse(value).success,
);
const listSchema = z.array(definitionSchema);
const moduleSchema = z.object({
  PROCESSORS: listSchema,
  createProcessors: z.custom<(models: Models) => unknown>((value) => typeof value === 'function').optional(),
});

/**
 * What `processors.ts` of the service lists. @throws where there is no such file
 * @param modelUrl of the provider that those ask that take a model; absent: they can ask nobody
 */
export async function loadProcessors(service: string, modelUrl?: string): Promise<ProcessorDefinition[]> {
  const file = resolve(root, 'services', service, 'src/processors.ts');
  const { PROCESSORS, createProcessors } = moduleSchema.parse(await import(pathToFileURL(file).href));
  if (modelUrl === undefined || !createProcessors) return PROCESSORS;
  return listSchema.parse(createProcessors(createModels({ apiKey: 'none', baseUrl: modelUrl })));
}
