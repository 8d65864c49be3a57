// Parses an agent's definition in YAML or JSON: its value, and the position of each part, so that an error of the
// orchestrator can name the line. All problems that are detectable here are reported together.
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { MillraceError, findUnserializable, substituteEnv, type Issue, type JsonValue } from '@millrace/contracts';
import type { Env } from '@millrace/bus';

export type FilePlace = { line: number; column: number };
export type AgentFile = {
  name: string;
  definition: JsonValue;
  /**
   * Position of a path such as `input[1].options.strategy`; that of its nearest parent if the path is missing in the
   * file.
   */
  locate(path: string): FilePlace;
};

/** @throws agent-invalid: an issue for each problem, its message starting with FILE:LINE:COLUMN */
export function parseAgentFile(name: string, text: string, env: Env): AgentFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const toPlace = (offset: number): FilePlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const locate = (path: string) => toPlace(findOffset(document, splitPath(path)));
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0)
    throw createInvalidError(
      name,
      problems.map(({ message, pos }) =>
        locateIssue(name, toPlace(pos[0]), { code: 'agent-invalid', message: takeFirstLine(message) }),
      ),
    );
  const { value, issues } = substituteEnv(convertDocument(name, document, locate), env, 'agent-invalid');
  const file = { name, definition: value, locate };
  if (issues.length > 0) throw withPlaces(createInvalidError(name, issues), file);
  return file;
}

/** Returns the same error with positions in its issues, or in itself if it has none. */
export function withPlaces(error: MillraceError, file: AgentFile): MillraceError {
  const { code, message, path, remedy } = error;
  const issues = error.issues ?? [{ code, message, ...(path !== undefined && { path }), ...(remedy && { remedy }) }];
  return createInvalidError(
    file.name,
    issues.map((issue) => locateIssue(file.name, file.locate(issue.path ?? ''), issue)),
    error,
  );
}

function locateIssue(name: string, { line, column }: FilePlace, issue: Issue): Issue {
  return { ...issue, message: `${name}:${line}:${column}: ${issue.message}` };
}

function createInvalidError(name: string, issues: Issue[], cause?: unknown): MillraceError {
  const count = issues.length === 1 ? 'one problem' : `${issues.length} problems`;
  return new MillraceError('agent-invalid', `${name} is refused: ${count}.`, { issues, cause });
}

function convertDocument(name: string, document: Document, locate: AgentFile['locate']): JsonValue {
  const fail = (message: string, path = '') =>
    createInvalidError(name, [locateIssue(name, locate(path), { code: 'agent-invalid', message })]);
  let value: JsonValue;
  try {
    value = document.toJS();
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
  if (value === null || value === undefined) throw fail('The file is empty.');
  const notJson = findUnserializable(value, '');
  if (notJson === undefined) return value;
  throw fail('A value is not JSON: an infinite number, or a part that contains itself.', notJson.slice(1));
}

const takeFirstLine = (message: string): string => message.split('\n', 1)[0] ?? message;

/** `input[1].options.strategy` → input, 1, options, strategy */
function splitPath(path: string): string[] {
  return path.match(/[^.[\]]+/g) ?? [];
}

/** Returns the start of the part: the key of a member, an item itself. Follows aliases. */
function findOffset(document: Document, segments: readonly string[]): number {
  let node = resolveAlias(document.contents, document);
  let offset = node?.range?.[0] ?? 0;
  for (const segment of segments) {
    const step = findMember(node, segment);
    if (!step) break;
    offset = step.offset ?? offset;
    node = resolveAlias(step.node, document);
  }
  return offset;
}

function findMember(
  node: Node | undefined,
  segment: string,
): { offset: number | undefined; node: unknown } | undefined {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item && { offset: item.range?.[0], node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
  return pair && { offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined, node: pair.value };
}

function resolveAlias(node: unknown, document: Document): Node | undefined {
  if (isAlias(node)) return node.resolve(document);
  return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined;
}
