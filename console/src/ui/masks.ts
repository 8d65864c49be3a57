// Finds the marks that processors leave in place of masked text: ***@***.***, [REDACTED], [EMAIL_1], [CARD:3f2a…].

const MASK = /\*{3}@\*{3}\.\*{3}|\[(?:REDACTED|[A-Z][A-Z-]*(?:_\d+|:[0-9a-f]+))\]/g;

/** Keeps the stars of a mark from being read as emphasis. */
export const escapeMasks = (text: string): string => text.replaceAll('***@***.***', String.raw`\*\*\*@\*\*\*.\*\*\*`);

/** Splits a text into plain texts and masks, in order. */
export function splitMasks(text: string): { text: string; isMask: boolean }[] {
  const parts: { text: string; isMask: boolean }[] = [];
  let at = 0;
  for (const { 0: mask, index } of text.matchAll(MASK)) {
    if (index > at) parts.push({ text: text.slice(at, index), isMask: false });
    parts.push({ text: mask, isMask: true });
    at = index + mask.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMask: false });
  return parts;
}

type TextNode = { type: 'text'; value: string };
type ElementNode = { type: 'element'; tagName: string; properties: object; children: TreeNode[] };
type TreeNode = TextNode | ElementNode | { type: string; children?: TreeNode[] };

/** A rehype plugin: wraps each mask into a mark element. */
export const markMasks =
  () =>
  (tree: TreeNode): void =>
    markChildren(tree);

function markChildren(node: TreeNode): void {
  if (!('children' in node) || !node.children) return;
  node.children = node.children.flatMap((child) => {
    if (!isText(child)) {
      markChildren(child);
      return [child];
    }
    return splitMasks(child.value).map(({ text, isMask }): TreeNode => {
      const value: TextNode = { type: 'text', value: text };
      return isMask ? { type: 'element', tagName: 'mark', properties: {}, children: [value] } : value;
    });
  });
}

const isText = (node: TreeNode): node is TextNode => node.type === 'text';
