// Renames tools in a prompt that are named like a member of Object.prototype. The provider's client looks tool names up in a plain object,
// finds the inherited member, and sends a call without a name, which the provider refuses: a stored call would fail its thread for good.
import type { Prompt } from '@millrace/contracts';

type Named = { toolName: string };

/** Appends `_` to each such name. Applies to the final prompt, so that it covers history, processors and callers alike. */
export function escapeToolNames(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    const { content } = message;
    if (!Array.isArray(content) || !content.some(hasInheritedName)) return message;
    const parts: unknown[] = content;
    return { ...message, content: parts.map((part) => (hasInheritedName(part) ? escaped(part) : part)) };
  });
}

const escaped = (part: Named): Named => ({ ...part, toolName: `${part.toolName}_` });

function hasInheritedName(part: unknown): part is Named {
  if (typeof part !== 'object' || part === null || !('toolName' in part)) return false;
  return typeof part.toolName === 'string' && part.toolName in Object.prototype;
}
