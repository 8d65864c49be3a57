// An agent's definition as its author wrote it, in YAML or JSON: its value, and where each part of it stands, so that a refusal
// from far away can name the line. All problems that can be found here are reported at once.
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { MillraceError, findUnserializable, type Issue, type JsonValue } from '@millrace/contracts';
import type { Env } from '@millrace/bus';
import { substituteEnv } from './environment-values.ts';

export type Place = { line: number; column: number };
export type AgentFile = {
  name: string;
  definition: JsonValue;
  /** Place of a path such as `input[1].options.strategy`; of its nearest parent where it is not in the file. */
  locate(path: string): Place;
};

/** @throws agent-invalid: an issue for each problem, its message beginning with FILE:LINE:COLUMN */
export function parseAgentFile(name: string, text: string, env: Env): AgentFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const locate = (path: string) => at(offsetOf(document, segmentsOf(path)));
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0)
    throw refused(
      name,
      problems.map(({ message, pos }) =>
        placed(name, at(pos[0]), { code: 'agent-invalid', message: firstLine(message) }),
      ),
    );
  const { value, issues } = substituteEnv(valueOf(name, document, locate), env);
  const file = { name, definition: value, locate };
  if (issues.length > 0) throw withPlaces(refused(name, issues), file);
  return file;
}

/** The same error, its issues (or itself, where it has none) with the places in the file. */
export function withPlaces(error: MillraceError, file: AgentFile): MillraceError {
  const { code, message, path, remedy } = error;
  const issues = error.issues ?? [{ code, message, ...(path !== undefined && { path }), ...(remedy && { remedy }) }];
  return refused(
    file.name,
    issues.map((issue) => placed(file.name, file.locate(issue.path ?? ''), issue)),
    error,
  );
}

function placed(name: string, { line, column }: Place, issue: Issue): Issue {
  return { ...issue, message: `${name}:${line}:${column}: ${issue.message}` };
}

function refused(name: string, issues: Issue[], cause?: unknown): MillraceError {
  const count = issues.length === 1 ? 'one problem' : `${issues.length} problems`;
  return new MillraceError('agent-invalid', `${name} is refused: ${count}.`, { issues, cause });
}

function valueOf(name: string, document: Document, locate: AgentFile['locate']): JsonValue {
  const fail = (message: string, path = '') =>
    refused(name, [placed(name, locate(path), { code: 'agent-invalid', message })]);
  let value: JsonValue;
  try {
    value = document.toJS();
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
  if (value === null || value === undefined) throw fail('The file is empty.');
  const notJson = findUnserializable(value, '');
  if (notJson === undefined) return value;
  throw fail('A value that JSON cannot carry: an endless number, or a part that contains itself.', notJson.slice(1));
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? message;

/** `input[1].options.strategy` → input, 1, options, strategy */
function segmentsOf(path: string): string[] {
  return path.match(/[^.[\]]+/g) ?? [];
}

/** Where the part begins: a member with its key, an item with itself. Aliases lead to what they stand for. */
function offsetOf(document: Document, segments: readonly string[]): number {
  let node = resolved(document.contents, document);
  let offset = node?.range?.[0] ?? 0;
  for (const segment of segments) {
    const step = memberOf(node, segment);
    if (!step) break;
    offset = step.offset ?? offset;
    node = resolved(step.node, document);
  }
  return offset;
}

function memberOf(node: Node | undefined, segment: string): { offset: number | undefined; node: unknown } | undefined {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item && { offset: item.range?.[0], node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
  return pair && { offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined, node: pair.value };
}

function resolved(node: unknown, document: Document): Node | undefined {
  if (isAlias(node)) return node.resolve(document);
  return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined;
}
