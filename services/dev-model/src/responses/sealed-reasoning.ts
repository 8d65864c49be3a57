// Encrypted content of reasoning. The provider refuses content of another organization: here, content without the mark of dev-model.
import { ApiError } from '../api/api-error.ts';

const MARK = 'dev-model.';

export const sealReasoning = (itemId: string): string => MARK + Buffer.from(itemId).toString('base64');

/** @throws ApiError 400, in the provider's words, for content that dev-model has not made, or without the item that followed it */
export function refuseForeignReasoning(
  items: readonly { type: string; encrypted_content?: string | null | undefined }[],
): void {
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    if (item.encrypted_content && !item.encrypted_content.startsWith(MARK))
      throw refuse('invalid_encrypted_content', 'The encrypted content could not be verified.');
    const next = items[at + 1]?.type;
    if (next !== 'message' && next !== 'function_call' && next !== 'reasoning')
      throw refuse('invalid_value', "Item of type 'reasoning' was provided without its required following item.");
  }
}

const refuse = (code: string, message: string): ApiError =>
  new ApiError({ status: 400, code, message, param: 'input' });
