// Parses a processor's docstring: free text, then the tags @verdict, @cannot and @example. Pure.

export type Docstring = {
  text: string;
  /** One line each, such as `continue: the text as it may pass`. */
  verdicts: string[];
  /** Limitations, one line each. */
  cannot: string[];
  /** Lists of an agent that uses it, in YAML. */
  example: string;
};
/** A processor's definition in its source. `name`: name of the export. */
export type Declared = { name: string; docstring: Docstring | undefined };

const DECLARATION =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export const (\w+)(?: = |[^=;]*= )(?:\((?:[^()]|\([^()]*\))*\)[^=;]*=>\s*)?defineProcessor\(/g;

export function declaredIn(source: string): Declared[] {
  return [...source.matchAll(DECLARATION)].map(([, comment, name = '']) => ({
    name,
    docstring: comment === undefined ? undefined : readDocstring(comment),
  }));
}

/** @param comment text between the comment marks */
function readDocstring(comment: string): Docstring {
  const plain = comment.replaceAll(/^[ \t]*\* ?/gm, '').trim();
  const [text = '', ...tags] = plain.split(/^@(?=verdict\b|cannot\b|example\b)/m);
  const listTagged = (name: string) =>
    tags
      .filter((tag) => tag.startsWith(`${name} `) || tag.startsWith(`${name}\n`))
      .map((tag) => tag.slice(name.length));
  const lines = (name: string) => listTagged(name).map((tag) => tag.trim().replaceAll(/\s+/g, ' '));
  return {
    text: text.trim(),
    verdicts: lines('verdict'),
    cannot: lines('cannot'),
    example: listTagged('example').join('').replace(/^\n/, '').trimEnd(),
  };
}
