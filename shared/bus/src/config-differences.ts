// Where what a server has differs from what is wanted of it. Only what is wanted is looked at: the server adds defaults. Pure.
export type Difference = { key: string; there: string; wanted: string };

export function configDifferences(there: object, wanted: object): Difference[] {
  const had = new Map<string, unknown>(Object.entries(there));
  return Object.entries(wanted).flatMap(([key, value]) => {
    const [one, other] = [written(had.get(key)), written(value)];
    return one === other ? [] : [{ key, there: one, wanted: other }];
  });
}

/** What a server leaves out is its type's nothing. */
function written(value: unknown): string {
  return value === undefined || value === false || value === 0 ? 'not set' : JSON.stringify(value);
}
