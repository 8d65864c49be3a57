// System messages in their groups by tag, changed one operation after the other: each costs what it names, however many groups there are.

type SystemMessage = { tag: string; content: string };
/** Messages of one tag that follow one another. */
type Row = { tag: string; contents: string[] };

export class SystemGroups {
  readonly #rows: Row[] = [];
  /** Those that are not empty, by tag. A group that was given in pieces has several, until it is changed. */
  readonly #byTag = new Map<string, Row[]>();

  constructor(system: readonly SystemMessage[]) {
    for (const { tag, content } of system) {
      const last = this.#rows.at(-1);
      if (last?.tag === tag) last.contents.push(content);
      else this.#begin(tag, [content]);
    }
  }

  /** The whole group; one that is there keeps its place, a new one comes last. */
  set(tag: string, contents: readonly string[]): void {
    const [first, ...others] = this.#byTag.get(tag) ?? [];
    if (!first) return contents.length > 0 ? this.#begin(tag, [...contents]) : undefined;
    for (const row of others) row.contents = [];
    first.contents = [...contents];
    if (contents.length > 0) this.#byTag.set(tag, [first]);
    else this.#byTag.delete(tag);
  }

  /** After what the group has. */
  add(tag: string, contents: readonly string[]): void {
    const rows = this.#byTag.get(tag) ?? [];
    const [only] = rows;
    if (only && rows.length === 1) for (const content of contents) only.contents.push(content);
    else this.set(tag, [...rows.flatMap((row) => row.contents), ...contents]);
  }

  all(): SystemMessage[] {
    return this.#rows.flatMap(({ tag, contents }) => contents.map((content) => ({ tag, content })));
  }

  #begin(tag: string, contents: string[]): void {
    const row = { tag, contents };
    this.#rows.push(row);
    const known = this.#byTag.get(tag);
    if (known) known.push(row);
    else this.#byTag.set(tag, [row]);
  }
}
