// The checks of a schema beside its type: lengths, bounds, whole numbers, patterns. For json-fit.ts.
import type { z } from 'zod';

/** undefined: a check that is not known here. */
export function checkOf(check: z.core.$ZodCheck): ((value: unknown) => boolean) | undefined {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod's name for what it shows those who build on it
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
      // A pattern that remembers where it stopped is another one at its next text.
      if (format !== 'regex' || !pattern || pattern.global || pattern.sticky) return undefined;
      return (value) => typeof value === 'string' && pattern.test(value);
    }
    default:
      return undefined;
  }
}

// Zod measures a text in code points, each of one code unit or two: they are counted where the code units leave it in doubt.
function isAtLeast(value: unknown, minimum: number): boolean {
  const units = unitsOf(value);
  if (typeof value !== 'string' || units < minimum || units >= 2 * minimum) return units >= minimum;
  return codePoints(value) >= minimum;
}

function isAtMost(value: unknown, maximum: number): boolean {
  return unitsOf(value) <= maximum || (typeof value === 'string' && codePoints(value) <= maximum);
}

const unitsOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : NaN);

const codePoints = (text: string): number => Array.from(text).length;
