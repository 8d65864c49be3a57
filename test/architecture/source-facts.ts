// What a source says, by its syntax tree and not by its text: comments do not count, and no way of writing an import slips
// through (side effect, type, re-export, dynamic, type query). An import() of something computed cannot be judged here.
import { parseSync, Visitor, type Program } from 'oxc-parser';

export type SourceFacts = {
  /** Specifiers, as written. */
  imports: string[];
  /** Values that are imported by name, by the name that they are exported under. */
  names: { from: string; name: string }[];
  /** Every string, also of types; a template's values are written `${}`. */
  strings: string[];
  hasDefaultExport: boolean;
};

type Read<T> = { text: string; read: T };
/** Every check asks about every source: each is parsed once, and its facts are read once. */
const programs = new Map<string, Read<Program>>();
const facts = new Map<string, Read<SourceFacts>>();

function once<T>(known: Map<string, Read<T>>, path: string, text: string, read: () => T): T {
  const before = known.get(path);
  if (before?.text === text) return before.read;
  const now = { text, read: read() };
  known.set(path, now);
  return now.read;
}

/** @throws when the text is not TypeScript: a file that cannot be read must not pass. */
export function parseSource(path: string, text: string): Program {
  return once(programs, path, text, () => {
    const { program, errors } = parseSync(path, text);
    const [error] = errors;
    if (error) throw new Error(`${path}: ${error.message}`);
    return program;
  });
}

/** @throws as parseSource */
export function readFacts(path: string, text: string): SourceFacts {
  return once(facts, path, text, () => factsOf(parseSource(path, text)));
}

function factsOf(program: Program): SourceFacts {
  const found: SourceFacts = { imports: [], names: [], strings: [], hasDefaultExport: false };
  new Visitor({
    ImportDeclaration: ({ source, specifiers, importKind }) => {
      found.imports.push(source.value);
      if (importKind === 'type') return;
      for (const specifier of specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.importKind === 'type') continue;
        const { imported } = specifier;
        found.names.push({ from: source.value, name: imported.type === 'Literal' ? imported.value : imported.name });
      }
    },
    ExportAllDeclaration: ({ source }) => void found.imports.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source && found.imports.push(source.value)),
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') found.imports.push(source.value);
      if (source.type === 'TemplateLiteral' && source.expressions.length === 0)
        found.imports.push(joined(source.quasis));
    },
    TSImportType: ({ source }) => void found.imports.push(source.value),
    ExportDefaultDeclaration: () => void (found.hasDefaultExport = true),
    ExportSpecifier: ({ exported }) => {
      const name = exported.type === 'Literal' ? exported.value : exported.name;
      if (name === 'default') found.hasDefaultExport = true;
    },
    Literal: ({ value }) => void (typeof value === 'string' && found.strings.push(value)),
    TemplateLiteral: ({ quasis }) => void found.strings.push(joined(quasis)),
  }).visit(program);
  return found;
}

function joined(quasis: readonly { value: { raw: string; cooked: string | null } }[]): string {
  return quasis.map(({ value }) => value.cooked ?? value.raw).join('${}');
}
