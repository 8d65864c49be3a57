// The processors that a service ships, for programs that judge many texts with them in one process. Found by their path, as a
// service's program is: nobody imports a service.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../../..');

const definitionSchema = z.custom<ProcessorDefinition>(
  (value) => z.looseObject({ id: z.string(), create: z.function() }).safeParse(value).success,
);
const moduleSchema = z.object({ PROCESSORS: z.array(definitionSchema) });

/** What `processors.ts` of the service lists. @throws where there is no such file */
export async function loadProcessors(service: string): Promise<ProcessorDefinition[]> {
  const file = resolve(root, 'services', service, 'src/processors.ts');
  return moduleSchema.parse(await import(pathToFileURL(file).href)).PROCESSORS;
}
