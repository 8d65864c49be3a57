// What the strategies make of hits: the text as it may pass, or a stopped run; and the report, which names type and place and
// never the value.
import type { JsonObject } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import { refuse } from '../guard/refuse.ts';
import { objectIn } from '../guard/run-state.ts';
import { mapHits } from './map-hits.ts';
import { identityOf, markOf } from './marks.ts';
import type { PiiOptions } from './pii-options.ts';
import type { PiiHit } from './pii-types.ts';

export type Judge = {
  /** Whether a whole message or result with a hit is left out, instead of the hit. */
  leavesOut: boolean;
  /** The text as it may pass. Throws (abort, halt) with strategy block. @param where part of the report */
  text(text: string, args: CommonArgs, where: JsonObject): string;
};

/** Hits that a report lists; it always counts all of them. */
const MAX_LISTED = 20;

export function createJudge(options: PiiOptions): Judge {
  return {
    leavesOut: options.strategy === 'filter',
    text(text, args, where) {
      const found: PiiHit[] = [];
      const judged = mapHits(text, options, (hit, value) => {
        if (options.strategy !== 'warn') {
          found.push(hit);
          return replacement(hit, value, options, args.state);
        }
        if (isNew(hit, value, args.state)) found.push(hit);
        return value;
      });
      if (found.length > 0) report(found, options, args, where);
      return judged;
    },
  };
}

function replacement(hit: PiiHit, value: string, { strategy, method }: PiiOptions, state: JsonObject): string {
  return markOf(hit.type, value, strategy === 'redact' ? method : 'remove', objectIn(state, 'placeholders'));
}

/** A value that is warned of is met again in every later stage of the run. */
function isNew(hit: PiiHit, value: string, state: JsonObject): boolean {
  const warned = objectIn(state, 'warned');
  const key = `${hit.type} ${identityOf(hit.type, value)}`;
  if (key in warned) return false;
  warned[key] = true;
  return true;
}

function report(found: PiiHit[], { strategy, response }: PiiOptions, args: CommonArgs, where: JsonObject): void {
  const types = [...new Set(found.map((hit) => hit.type))];
  const message = `Personal data: ${types.join(', ')}.`;
  const hits = found.slice(0, MAX_LISTED).map(({ type, start, end }) => ({ type, start, end }));
  const detail = { ...where, count: found.length, types, hits };
  args.onViolation({ message, strategy, detail });
  if (strategy === 'block') refuse(args, response, message, detail);
}
