// Groups system messages by tag and applies operations in order: the cost of each depends on the messages that it
// names, not on the number of groups.

import type { Label } from './label.ts';

export type SystemText = { content: string; label?: Label | undefined };
type TaggedText = SystemText & { tag: string };
/** Adjacent messages of one tag. */
type SystemRow = { tag: string; contents: SystemText[] };

export class SystemGroups {
  readonly #rows: SystemRow[] = [];
  /** Rows that are not empty, by tag. A split group has several rows until it is changed. */
  readonly #byTag = new Map<string, SystemRow[]>();

  constructor(system: readonly TaggedText[]) {
    for (const { tag, ...content } of system) {
      const last = this.#rows.at(-1);
      if (last?.tag === tag) last.contents.push(content);
      else this.#begin(tag, [content]);
    }
  }

  /** Replaces the whole group; an existing group keeps its position, a new one is appended. */
  set(tag: string, contents: readonly SystemText[]): void {
    const [first, ...others] = this.#byTag.get(tag) ?? [];
    if (!first) return contents.length > 0 ? this.#begin(tag, [...contents]) : undefined;
    for (const row of others) row.contents = [];
    first.contents = [...contents];
    if (contents.length > 0) this.#byTag.set(tag, [first]);
    else this.#byTag.delete(tag);
  }

  /** Appends to the group. */
  add(tag: string, contents: readonly SystemText[]): void {
    const rows = this.#byTag.get(tag) ?? [];
    const [only] = rows;
    if (only && rows.length === 1) for (const content of contents) only.contents.push(content);
    else this.set(tag, [...rows.flatMap((row) => row.contents), ...contents]);
  }

  all(): TaggedText[] {
    return this.#rows.flatMap(({ tag, contents }) => contents.map((text) => ({ tag, ...text })));
  }

  #begin(tag: string, contents: SystemText[]): void {
    const row = { tag, contents };
    this.#rows.push(row);
    const known = this.#byTag.get(tag);
    if (known) known.push(row);
    else this.#byTag.set(tag, [row]);
  }
}
