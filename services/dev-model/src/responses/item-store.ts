// Stores the texts of earlier answers by item id. With `store` (the API's default) the client sends `{type:
// "item_reference", id}` instead of an earlier answer's text. The store is bounded and not persistent. An unknown
// reference is omitted from the conversation and counted in the answer's headers (OpenAI rejects the call), so that a
// thread in Redis continues after a restart of dev-model.
export type ItemStore = {
  readonly put: (itemId: string, text: string) => void;
  readonly findText: (itemId: string) => string | undefined;
};

const defaultMaxCharacters = 16 * 1024 * 1024;
const defaultMaxItems = 20_000;

export function createItemStore({
  maxCharacters = defaultMaxCharacters,
  maxItems = defaultMaxItems,
}: { readonly maxCharacters?: number; readonly maxItems?: number } = {}): ItemStore {
  // A Map iterates in the order of insertion: its first entry is the oldest.
  const texts = new Map<string, string>();
  let characters = 0;

  return {
    put(itemId, text) {
      texts.set(itemId, text);
      characters += text.length;
      for (const [oldest, oldText] of texts) {
        if (characters <= maxCharacters && texts.size <= maxItems) break;
        texts.delete(oldest);
        characters -= oldText.length;
      }
    },
    findText: (itemId) => texts.get(itemId),
  };
}
