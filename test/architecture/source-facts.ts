// Reads facts from a source's syntax tree instead of its text: comments are ignored, and every form of import is found
// (side effect, type, re-export, dynamic, type query). An import() with a computed specifier is not covered.
import { parseSync, Visitor, type Program } from 'oxc-parser';

export type SourceFacts = {
  /** Specifiers, as written. */
  imports: string[];
  /** Imported values, by the name of their export. */
  names: { from: string; name: string }[];
  /** All strings, including those in types; values of a template are written `${}`. */
  strings: string[];
  hasDefaultExport: boolean;
};

type CachedRead<T> = { text: string; read: T };
/** Cached, because every check reads every source. */
const programs = new Map<string, CachedRead<Program>>();
const facts = new Map<string, CachedRead<SourceFacts>>();

function readOnce<T>(known: Map<string, CachedRead<T>>, path: string, text: string, read: () => T): T {
  const before = known.get(path);
  if (before?.text === text) return before.read;
  const now = { text, read: read() };
  known.set(path, now);
  return now.read;
}

/** @throws if the text is not TypeScript: an unreadable file must not pass */
export function parseSource(path: string, text: string): Program {
  return readOnce(programs, path, text, () => {
    const { program, errors } = parseSync(path, text);
    const [error] = errors;
    if (error) throw new Error(`${path}: ${error.message}`);
    return program;
  });
}

/** @throws as parseSource */
export function readFacts(path: string, text: string): SourceFacts {
  return readOnce(facts, path, text, () => collectFacts(parseSource(path, text)));
}

function collectFacts(program: Program): SourceFacts {
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
        found.imports.push(joinQuasis(source.quasis));
    },
    TSImportType: ({ source }) => void found.imports.push(source.value),
    ExportDefaultDeclaration: () => void (found.hasDefaultExport = true),
    ExportSpecifier: ({ exported }) => {
      const name = exported.type === 'Literal' ? exported.value : exported.name;
      if (name === 'default') found.hasDefaultExport = true;
    },
    Literal: ({ value }) => void (typeof value === 'string' && found.strings.push(value)),
    TemplateLiteral: ({ quasis }) => void found.strings.push(joinQuasis(quasis)),
  }).visit(program);
  return found;
}

function joinQuasis(quasis: readonly { value: { raw: string; cooked: string | null } }[]): string {
  return quasis.map(({ value }) => value.cooked ?? value.raw).join('${}');
}
