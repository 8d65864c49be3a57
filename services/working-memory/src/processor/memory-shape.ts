// What a memory looks like: which JSON Schema an update to it is asked for with, and how it is told to the model that answers.
import type { JsonObject, JsonSchema } from '@millrace/contracts';

export type MemoryShape = {
  /**
   * The schema of an update. No field is required: what is left out stays as it is, null deletes. The same object each time, so
   * that it is compiled once.
   */
  updateSchema: JsonSchema;
  /** The memory as text; `memory` is not empty. */
  format(memory: JsonObject): string;
};
