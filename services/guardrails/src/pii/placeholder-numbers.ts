// The numbers of placeholders: the same value has the same one in all of a run. Of each type the state holds one string, the values' hashes in the
// order of their numbers: a member for each would make the check and the copy of ten thousand a turn of the event loop of their own.
import type { JsonObject } from '@millrace/contracts';
import { stringIn } from '../guard/entry-state.ts';
import { IDENTITY_LENGTH } from '../guard/identity.ts';

/** A few values are looked for in the string; for more of one call a table is made of it. */
const MANY = 64;
type Table = { asked: number; numbers?: Map<string, number> };
/** By the state's object, then by type: what a next call is given is another object. */
const tables = new WeakMap<JsonObject, Map<string, Table>>();

/** @param known the state's, by type; a new value is added */
export function placeholderNumber(type: string, identity: string, known: JsonObject): number {
  const identities = stringIn(known, type);
  const table = tableOf(known, type);
  table.asked += 1;
  if (table.asked > MANY) table.numbers ??= numbersIn(identities);
  const seen = table.numbers ? table.numbers.get(identity) : numberIn(identities, identity);
  if (seen !== undefined) return seen;
  const next = identities.length / IDENTITY_LENGTH + 1;
  known[type] = identities + identity;
  table.numbers?.set(identity, next);
  return next;
}

function tableOf(known: JsonObject, type: string): Table {
  const byType = tables.get(known) ?? new Map<string, Table>();
  tables.set(known, byType);
  const table = byType.get(type) ?? { asked: 0 };
  byType.set(type, table);
  return table;
}

function numberIn(identities: string, identity: string): number | undefined {
  for (let at = identities.indexOf(identity); at >= 0; at = identities.indexOf(identity, at + 1)) {
    if (at % IDENTITY_LENGTH === 0) return at / IDENTITY_LENGTH + 1;
  }
  return undefined;
}

function numbersIn(identities: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let at = 0; at < identities.length; at += IDENTITY_LENGTH)
    numbers.set(identities.slice(at, at + IDENTITY_LENGTH), at / IDENTITY_LENGTH + 1);
  return numbers;
}
