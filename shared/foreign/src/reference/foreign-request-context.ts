// Provides the reference's RequestContext: an open map, with the run's thread and resource also under the reference's
// own names. Values that a processor sets live until the call ends.
import type { CommonArgs } from '@millrace/processor';

export class ForeignRequestContext {
  readonly #values: Map<string, unknown>;

  constructor({ requestContext, run }: Pick<CommonArgs, 'requestContext' | 'run'>) {
    // A copy: in-place edits by one processor must not be visible to the next one.
    this.#values = new Map(requestContext.keys().map((key) => [key, structuredClone(requestContext.get(key))]));
    if (run.threadId !== undefined) this.#values.set('mastra__threadId', run.threadId);
    if (run.resourceId !== undefined) this.#values.set('mastra__resourceId', run.resourceId);
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }
  getRaw(key: string): unknown {
    return this.#values.get(key);
  }
  set(key: string, value: unknown): void {
    this.#values.set(key, value);
  }
  setRaw(key: string, value: unknown): void {
    this.#values.set(key, value);
  }
  has(key: string): boolean {
    return this.#values.has(key);
  }
  hasRaw(key: string): boolean {
    return this.#values.has(key);
  }
  delete(key: string): boolean {
    return this.#values.delete(key);
  }
  deleteRaw(key: string): boolean {
    return this.#values.delete(key);
  }
  clear(): void {
    this.#values.clear();
  }
  keys(): IterableIterator<string> {
    return this.#values.keys();
  }
  values(): IterableIterator<unknown> {
    return this.#values.values();
  }
  entries(): IterableIterator<[string, unknown]> {
    return this.#values.entries();
  }
  size(): number {
    return this.#values.size;
  }
  forEach(each: (value: unknown, key: string, map: Map<string, unknown>) => void): void {
    // oxlint-disable-next-line unicorn/no-array-for-each -- the method that the reference has
    this.#values.forEach(each);
  }
  get all(): Record<string, unknown> {
    return Object.fromEntries(this.#values);
  }
  toJSON(): Record<string, unknown> {
    return this.all;
  }
}
