// Numbers placeholders: a value has the same number during the whole run. The state holds one string per type, with the
// values' hashes in the order of their numbers. One member per value would make checking and copying ten thousand
// values a turn of the event loop.
import type { JsonObject } from '@millrace/contracts';
import { readString } from '../../guard/entry-state.ts';
import { IDENTITY_LENGTH } from '../../guard/identity.ts';

/** Number of values up to which a call searches the string; above it, a call builds a table. */
const MANY = 64;
type Table = { asked: number; numbers?: Map<string, number> };
/** Tables by the state's object, then by type. The next call receives another object. */
const tables = new WeakMap<JsonObject, Map<string, Table>>();

/** @param known the state's hashes by type; a new value is added */
export function assignNumber(type: string, identity: string, known: JsonObject): number {
  const identities = readString(known, type);
  const table = readTable(known, type);
  table.asked += 1;
  if (table.asked > MANY) table.numbers ??= listStoredNumbers(identities);
  const seen = table.numbers ? table.numbers.get(identity) : readStoredNumber(identities, identity);
  if (seen !== undefined) return seen;
  const next = identities.length / IDENTITY_LENGTH + 1;
  known[type] = identities + identity;
  table.numbers?.set(identity, next);
  return next;
}

function readTable(known: JsonObject, type: string): Table {
  const byType = tables.get(known) ?? new Map<string, Table>();
  tables.set(known, byType);
  const table = byType.get(type) ?? { asked: 0 };
  byType.set(type, table);
  return table;
}

function readStoredNumber(identities: string, identity: string): number | undefined {
  for (let at = identities.indexOf(identity); at >= 0; at = identities.indexOf(identity, at + 1)) {
    if (at % IDENTITY_LENGTH === 0) return at / IDENTITY_LENGTH + 1;
  }
  return undefined;
}

function listStoredNumbers(identities: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let at = 0; at < identities.length; at += IDENTITY_LENGTH)
    numbers.set(identities.slice(at, at + IDENTITY_LENGTH), at / IDENTITY_LENGTH + 1);
  return numbers;
}
