// Collects the English of the repository by kind: comments, test titles, option descriptions, log lines, CLI output, errors and remedies, and
// Markdown pages. Reads TypeScript by its syntax tree. Code spans, quotations and error codes are not prose and are left out.
import { parseSync, Visitor, type CallExpression, type Expression, type Node } from 'oxc-parser';

export const PROSE_KINDS = [
  'comments',
  'test titles',
  'option descriptions',
  'log lines',
  'CLI output',
  'errors and remedies',
  'docs',
] as const;
export type ProseKind = (typeof PROSE_KINDS)[number];
/** `path`: from the root. */
export type ProsePiece = { kind: ProseKind; path: string; text: string };

/** Calls of a logger by the names of its levels. */
const LOG_CALL = /(?:^|\.)log(?:ger)?\.(?:trace|debug|info|warn|error|fatal)$/;
const TITLE_CALL = /^(?:test|it|describe)\b/;
const DESCRIBE_CALL = /\.describe$/;
/** Sources of these folders print their strings to a terminal. */
const CLI_FOLDERS: readonly string[] = ['shared/cli/src/', 'deploy/dev/src/'];
/** Strings of these files are prompts for models and lists of words: another wording would change verdicts. */
const PROMPTS_AND_LEXICONS: readonly string[] = [
  'services/dev-model/src/embedding/hashed-ngram.ts',
  'services/guardrails/src/guards/judge/judge-question.ts',
  'services/guardrails/src/guards/language/language-questions.ts',
  'services/guardrails/src/guards/moderation/moderation-question.ts',
  'services/guardrails/src/guards/pii/names/find-names.ts',
  'services/guardrails/src/guards/pii/names/name-guard.ts',
  'services/guardrails/src/guards/prompt-injection/second-opinion.ts',
  'services/guardrails/src/model/model-judge.ts',
  'services/guardrails/src/text/views/disguises.ts',
  'services/working-memory/src/processor/extraction.ts',
];
/** Strings of these files are data of tests. */
const isTestFile = (path: string): boolean =>
  /\.(?:test|conformance)\.ts$|\/(?:testing|conformance)\/|^test\//.test(path);
const DIRECTIVE = /^[*!\s]*(?:@ts-|oxlint-|v8 |c8 )/;
/** SQL statements are code. */
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE)\b/;
/** A string of fewer words is a name or a fragment. */
const MIN_WORDS = 3;

/** Returns the prose of a TypeScript source. @throws if the text cannot be parsed */
export function collectSourceProse(path: string, text: string): ProsePiece[] {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const pieces: ProsePiece[] = [];
  const add = (kind: ProseKind, raw: string) => {
    const prose = stripCode(raw);
    if (prose !== '') pieces.push({ kind, path, text: prose });
  };
  for (const { value } of comments) if (!DIRECTIVE.test(value)) add('comments', value.replaceAll(/^\s*\*/gm, ' '));
  const taken = new Set<Node>();
  const claim = (kind: ProseKind, value: Expression | undefined) => {
    const words = value && readString(value);
    if (value === undefined || words === undefined) return;
    taken.add(value);
    add(kind, words);
  };
  const visitCall = ({ callee, arguments: [first, ...rest] }: CallExpression) => {
    const name = text.slice(callee.start, callee.end);
    const args = [first, ...rest].filter((one) => one !== undefined && one.type !== 'SpreadElement');
    if (TITLE_CALL.test(name)) claim('test titles', args[0]);
    else if (DESCRIBE_CALL.test(name)) claim('option descriptions', args[0]);
    else if (LOG_CALL.test(name)) args.forEach((one) => claim('log lines', one));
  };
  new Visitor({
    CallExpression: visitCall,
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && key.name === 'description' && isExpression(value))
        claim('option descriptions', value);
    },
  }).visit(program);
  if (isTestFile(path) || PROMPTS_AND_LEXICONS.includes(path)) return pieces;
  const kind = CLI_FOLDERS.some((folder) => path.startsWith(folder)) ? 'CLI output' : 'errors and remedies';
  const addString = (node: Expression) => {
    const words = taken.has(node) ? undefined : readString(node);
    if (words !== undefined && isSentence(words)) add(kind, words);
  };
  new Visitor({ Literal: addString, TemplateLiteral: addString }).visit(program);
  return pieces;
}

/** Returns the prose of a Markdown page. */
export function collectPageProse(path: string, text: string): ProsePiece[] {
  const prose = stripCode(text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/\]\([^)\s]*\)/g, ']'));
  return prose === '' ? [] : [{ kind: 'docs', path, text: prose }];
}

function isExpression(node: Node): node is Expression {
  return node.type === 'Literal' || node.type === 'TemplateLiteral' || node.type === 'BinaryExpression';
}

/** Returns the words of a string, a template or a concatenation; values of a template count as one name. */
function readString(node: Expression): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join(' NAME ');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [readString(node.left), readString(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

const isSentence = (text: string): boolean =>
  / [a-zA-Z]/.test(text) && !SQL.test(text) && (text.match(/[A-Za-z][A-Za-z'-]+/g)?.length ?? 0) >= MIN_WORDS;

/** Removes code spans, quotations and codes such as `nobody-there`, which are names and not prose. */
function stripCode(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, ' ')
    .replaceAll(/["“][^"“”\n]*["”]/g, ' ')
    .replaceAll(/\b[a-z]+(?:-[a-z]+)+\b/g, ' ')
    .trim();
}
