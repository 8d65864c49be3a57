// The texts of earlier answers by item id. With `store` (the API's default) the client sends an earlier answer as
// `{type: "item_reference", id}` instead of its text, so the stand-in must know it. Bounded, and gone with the process:
// an unknown reference is left out of the conversation and counted in the answer's headers, where OpenAI would refuse
// the call, so that a thread kept in Redis goes on after the stand-in was restarted.
export type ItemStore = {
  readonly put: (itemId: string, text: string) => void;
  readonly textOf: (itemId: string) => string | undefined;
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
    textOf: (itemId) => texts.get(itemId),
  };
}
