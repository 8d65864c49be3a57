// Reads custom chunks, which a processor receives with `processDataParts`. This one records the warnings of tools and
// other processors, removes mild ones from the stream, and reports their number at the end of the run.
import type { Chunk, JsonValue } from '@millrace/contracts';
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const warningSchema = z.object({ level: z.string(), reason: z.string() });
const collectedSchema = z.array(warningSchema);

/** A flood of warnings must not become a state of megabytes. */
const MAX_WARNINGS = 100;

export const moderationCollector = defineProcessor({
  id: 'moderation-collector',
  description: 'Collects the moderation warnings of a run.',
  stages: ['processOutputStream', 'processOutputResult'],
  reads: [],
  processDataParts: true,
  options: z.strictObject({
    hide: z.array(z.string()).default([]).describe('levels of warnings that clients do not get'),
  }),
  create: ({ hide }) => ({
    processOutputStream({ part, state }) {
      const warning = readWarning(part);
      if (!warning) return part;
      const warnings = readCollected(state['warnings']);
      if (warnings.length < MAX_WARNINGS) state['warnings'] = [...warnings, warning];
      return hide.includes(warning.level) ? null : part;
    },
    processOutputResult({ state, onViolation }) {
      const warnings = readCollected(state['warnings']);
      if (warnings.length === 0) return;
      onViolation({ message: 'moderation warnings', rule: 'moderation', count: warnings.length, detail: warnings });
    },
  }),
});

const readCollected = (value: JsonValue | undefined) => collectedSchema.safeParse(value).data ?? [];

function readWarning(part: Chunk) {
  const type: string = part.type;
  return type === 'data-moderation' && 'data' in part ? warningSchema.safeParse(part.data).data : undefined;
}
