// Patterns of JSON Schemas, which services of others write: matched in linear time (RE2), so that no pattern and no text can hold
// the process. What RE2 has not (look-around, back-references: generated schemas have them) is matched as JavaScript does, and
// relies on the bound on time that every check has.
import { RE2JS } from 're2js';

type Pattern = { test(text: string): boolean; toString(): string };

export function linearPattern(pattern: string, flags: string): Pattern {
  const compiled = compileLinear(pattern);
  // ajv tells patterns apart by their text.
  return compiled
    ? { test: (text) => compiled.test(text), toString: () => `/${pattern}/${flags}` }
    : new RegExp(pattern, flags);
}

/** What ajv writes into code that is generated for elsewhere; we generate none. */
linearPattern.code = 'linearPattern';

function compileLinear(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
