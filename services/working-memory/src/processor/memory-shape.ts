// Shape of a memory: the JSON Schema of its updates and its text form for the model.
import type { JsonObject, JsonSchema } from '@millrace/contracts';

export type MemoryShape = {
  /**
   * Schema of an update. No field is required: a missing field is unchanged, null deletes it. Returns the same object
   * each time, so that it is compiled once.
   */
  updateSchema: JsonSchema;
  /** The memory as text; `memory` is not empty. */
  format(memory: JsonObject): string;
};
