// What a source says, by its syntax tree and not by its text: comments do not count, and no way of writing an import slips
// through (side effect, type, re-export, dynamic, type query). An import() of something computed cannot be judged here.
import { parseSync, Visitor } from 'oxc-parser';

export type SourceFacts = {
  /** Specifiers, as written. */
  imports: string[];
  /** Values that are imported by name, by the name that they are exported under. */
  names: { from: string; name: string }[];
  /** Every string, also of types; a template's values are written `${}`. */
  strings: string[];
  hasDefaultExport: boolean;
};

/** Every check asks for the facts of every source: each is parsed once. */
const known = new Map<string, { text: string; facts: SourceFacts }>();

/** @throws when the text is not TypeScript: a file that cannot be read must not pass. */
export function readFacts(path: string, text: string): SourceFacts {
  const before = known.get(path);
  if (before?.text === text) return before.facts;
  const facts = parseFacts(path, text);
  known.set(path, { text, facts });
  return facts;
}

function parseFacts(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const facts: SourceFacts = { imports: [], names: [], strings: [], hasDefaultExport: false };
  new Visitor({
    ImportDeclaration: ({ source, specifiers, importKind }) => {
      facts.imports.push(source.value);
      if (importKind === 'type') return;
      for (const specifier of specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.importKind === 'type') continue;
        const { imported } = specifier;
        facts.names.push({ from: source.value, name: imported.type === 'Literal' ? imported.value : imported.name });
      }
    },
    ExportAllDeclaration: ({ source }) => void facts.imports.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source && facts.imports.push(source.value)),
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') facts.imports.push(source.value);
      if (source.type === 'TemplateLiteral' && source.expressions.length === 0)
        facts.imports.push(joined(source.quasis));
    },
    TSImportType: ({ source }) => void facts.imports.push(source.value),
    ExportDefaultDeclaration: () => void (facts.hasDefaultExport = true),
    ExportSpecifier: ({ exported }) => {
      const name = exported.type === 'Literal' ? exported.value : exported.name;
      if (name === 'default') facts.hasDefaultExport = true;
    },
    Literal: ({ value }) => void (typeof value === 'string' && facts.strings.push(value)),
    TemplateLiteral: ({ quasis }) => void facts.strings.push(joined(quasis)),
  }).visit(program);
  return facts;
}

function joined(quasis: readonly { value: { raw: string; cooked: string | null } }[]): string {
  return quasis.map(({ value }) => value.cooked ?? value.raw).join('${}');
}
