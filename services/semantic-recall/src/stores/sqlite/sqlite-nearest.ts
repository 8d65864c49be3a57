// Finds the nearest rows of a scope with equal results in two ways: by sqlite-vec with an SQL function,
// or by a scan in JavaScript if the extension cannot be loaded (a native library, built for common platforms only).
// Both are exact and read every vector of the scope: an embedded store serves one machine.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { load } from 'sqlite-vec';
import { decodeVector, encodeVector } from '../../store/vector-bytes.ts';

/** Rows by rowid with their cosine similarity, nearest first. */
type NearestRow = { id: number; score: number };
export type SqlScope = { where: string; values: SQLInputValue[] };
export type FindNearest = (
  scope: SqlScope,
  query: { vector: readonly number[]; topK: number; threshold: number | undefined },
) => NearestRow[];

/** Lower than any cosine. The score of a zero vector is undefined, so its row is never found. */
const ANY_SCORE = -2;

/** @param loadExtension for tests. @param onFallback called once with the reason if the extension cannot be loaded */
export function chooseNearest(
  database: DatabaseSync,
  loadExtension: ((database: DatabaseSync) => void) | undefined = load,
  onFallback: (reason: string) => void = () => undefined,
): FindNearest {
  try {
    loadExtension(database);
    database.enableLoadExtension(false);
    return createExtensionSearch(database);
  } catch (error) {
    onFallback(error instanceof Error ? error.message : String(error));
    return createScanSearch(database);
  }
}

function createExtensionSearch(database: DatabaseSync): FindNearest {
  return ({ where, values }, { vector, topK, threshold = ANY_SCORE }) =>
    database
      .prepare(
        `SELECT rowid AS id, 1 - vec_distance_cosine(vector, ?) AS score FROM recall_points
         WHERE ${where} AND score >= ? ORDER BY score DESC, place DESC LIMIT ?`,
      )
      .all(encodeVector(vector), ...values, threshold, topK)
      .map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
}

function createScanSearch(database: DatabaseSync): FindNearest {
  return ({ where, values }, { vector, topK, threshold = ANY_SCORE }) => {
    const wanted = Float32Array.from(vector);
    let best: NearestRow[] = [];
    const rows = database
      .prepare(`SELECT rowid AS id, vector FROM recall_points WHERE ${where} ORDER BY place DESC`)
      .iterate(...values);
    for (const { id, vector: bytes } of rows) {
      const score = bytes instanceof Uint8Array ? computeCosine(wanted, decodeVector(bytes)) : Number.NaN;
      // NaN fails this comparison too.
      if (!(score >= threshold)) continue;
      if (best.length < topK || score > (best.at(-1)?.score ?? ANY_SCORE))
        best = insertRanked(best, { id: Number(id), score }, topK);
    }
    return best;
  };
}

function insertRanked(best: readonly NearestRow[], one: NearestRow, topK: number): NearestRow[] {
  const at = best.findIndex((other) => other.score < one.score);
  return (at < 0 ? [...best, one] : best.toSpliced(at, 0, one)).slice(0, topK);
}

function computeCosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
