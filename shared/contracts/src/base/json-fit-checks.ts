// Compiles the checks of a schema other than its type: lengths, bounds, whole numbers, patterns. For json-fit.ts.
import type { z } from 'zod';

/** Returns undefined for an unknown check. */
export function compileCheck(check: z.core.$ZodCheck): ((value: unknown) => boolean) | undefined {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod exposes its internals under this name
  const { def } = (check as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case 'min_length': {
      const { minimum } = def;
      return (value) => isAtLeast(value, minimum);
    }
    case 'max_length': {
      const { maximum } = def;
      return (value) => isAtMost(value, maximum);
    }
    case 'greater_than': {
      const { value: bound, inclusive } = def;
      return (value) => typeof value === 'number' && (inclusive ? value >= Number(bound) : value > Number(bound));
    }
    case 'less_than': {
      const { value: bound, inclusive } = def;
      return (value) => typeof value === 'number' && (inclusive ? value <= Number(bound) : value < Number(bound));
    }
    case 'number_format':
      return def.format === 'safeint' ? Number.isSafeInteger : undefined;
    case 'string_format': {
      const { format, pattern } = def;
      // A global or sticky pattern keeps its last index and would start the next text in the middle.
      if (format !== 'regex' || !pattern || pattern.global || pattern.sticky) return undefined;
      return (value) => typeof value === 'string' && pattern.test(value);
    }
    default:
      return undefined;
  }
}

// Zod measures a text in code points of one or two code units: they are counted only if the number of code units is
// inconclusive.
function isAtLeast(value: unknown, minimum: number): boolean {
  const units = countUnits(value);
  if (typeof value !== 'string' || units < minimum || units >= 2 * minimum) return units >= minimum;
  return countCodePoints(value) >= minimum;
}

function isAtMost(value: unknown, maximum: number): boolean {
  return countUnits(value) <= maximum || (typeof value === 'string' && countCodePoints(value) <= maximum);
}

const countUnits = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : NaN);

const countCodePoints = (text: string): number => Array.from(text).length;
