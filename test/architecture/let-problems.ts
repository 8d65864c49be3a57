// Finds functions with too many variables that change: their states are hard to follow, and belong into a reducer with
// named states. The variables of inner functions count for the outermost function, counters of loops do not. Pure.
import { Visitor, type Node } from 'oxc-parser';
import { parseSource } from './source-facts.ts';

/** Maximum number of `let` declarations of a function with its inner functions. */
const MAX_LETS = 5;

/** Returns a line for each function with more than five `let`s. */
export function findLetProblems(path: string, text: string): string[] {
  const problems: string[] = [];
  const open: Node[] = [];
  const counters = new Set<Node>();
  let lets = 0;
  const enter = (node: Node) => {
    if (open.length === 0) lets = 0;
    open.push(node);
  };
  const exit = (node: Node) => {
    open.pop();
    if (open.length > 0 || lets <= MAX_LETS) return;
    const line = text.slice(0, node.start).split('\n').length;
    problems.push(`${path}:${line}: the function has ${lets} variables that change; the maximum is ${MAX_LETS}`);
  };
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': exit,
    FunctionExpression: enter,
    'FunctionExpression:exit': exit,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': exit,
    ForStatement: ({ init }) => void (init && counters.add(init)),
    VariableDeclaration: (node) => {
      if (node.kind === 'let' && !counters.has(node)) lets += node.declarations.length;
    },
  }).visit(parseSource(path, text));
  return problems;
}
